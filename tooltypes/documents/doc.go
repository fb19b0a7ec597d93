// Package documents offers a folder of texts as <id>__search and <id>__read, so that a model
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
// The folder is looked at again and again: that finds changes on network folders, too, and
// behind links that are turned to another folder, as Kubernetes does it. A file's time and
// size say whether it changed; one that was written a moment ago is read once more. What
// cannot be read is named in the log, and left out. Nothing leads out of the folder
// (os.Root), and no id or link is a path.
//
// The index may be lost: it is made anew, and so is one that turns out to be damaged. Meanwhile
// searches find what there is, and say so.
package documents
