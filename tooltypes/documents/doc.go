// Package documents offers a folder of texts as <id>__search, <id>__read and <id>__diff, so that a model
// answers from them, and cites what it read.
//
//	entry of tools.json ──Shelf.Tool──> Tool, one per app       search, read, Passage
//	                                      │ shares
//	                                      v
//	                                    library, one per entry   its loop, every few seconds:
//	                                      │                      walk ─> what changed ─> passages ─> index
//	                                      v
//	                                    index (SQLite FTS5), a file of this node's own
//
// The folder is polled, which also finds changes in network folders, and behind symbolic links
// that are switched to another folder, as Kubernetes does. A file counts as changed if its time or
// size has changed; a file that was written a moment ago is read once more. Files that cannot be
// read are logged and left out. Nothing outside of the folder can be read (os.Root), and no id or
// link is a path.
//
// An index that is lost or damaged is rebuilt. In the meantime, searches find what has been
// indexed so far, with a note that there may be more.
package documents
