// Package follow shows chats to their viewers: other tabs and devices, clients that come back, and
// requests whose run was begun by another request.
//
//	Snapshot            a chat as it is stored now
//	Follow ── Stream    what has happened since an event, or a snapshot; then live events
//	Run                 one run again, live to its end if it still runs
//	Queued              the run of a message that waits in the queue, once it begins
//
// All but Snapshot, which reads the store alone, read the hub, where events are in motion. If the hub
// cannot have the events of all nodes (stream.Hub.Complete), or a node died between a commit and its
// events, a watch also reads the store. The lookout says when: it asks the store once for all viewers
// of the node. A watch makes the events from the rows by the same function as the run does
// (chat.Rows), with the same ids, so a viewer may go on at any of them.
//
// Nothing in this package changes a chat. The engine in gateway/turn does; neither of the two
// imports the other.
package follow
