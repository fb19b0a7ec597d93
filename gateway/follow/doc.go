// Package follow shows chats to those who look on: other tabs and devices, clients that
// come back, and requests whose run was begun by another request.
//
//	Snapshot            a chat as it is stored now
//	Follow ── Stream    what happened after an event, or a snapshot, then what happens
//	Run                 one run again, live to its end where it still runs
//	Queued              the run of a message that waits in the queue, once it begins
//
// Each reads the hub, where events are in motion. Where the hub cannot have those of all
// nodes (stream.Hub.Complete), or a node died between a commit and its events, a watch
// also looks into the store. What it tells from there is made of the rows by the same function
// that the run told it with (chat.Rows), under the same ids: a viewer may go on at any of them.
//
// Nothing here changes a chat. The engine that does is gateway/turn; neither imports the
// other.
package follow
