// Package config loads, checks and watches the admin's files, and hands out
// immutable snapshots of them.
//
//	gateway.json      tools.json      apps/<id>.json, apps/<id>/app.json + tools.json
//	     \                |              /
//	      '---- Load: one pass, file by file in this order ----.
//	                                                            |
//	  bytes -> syntax (size, UTF-8, depth, hujson, duplicate names)   syntax.go
//	        -> values (types, ranges, $NAME, localised texts)         value.go, key.go
//	        -> meaning (gatewayreader.go, toolfile.go, tool.go, appreader.go)
//	        -> whether strangers would be let in (exposure.go)
//	                                                            |
//	          any fault?  yes -> Faults, all of them, file:line:col: message
//	                      no  -> *Snapshot  ->  Watcher.Current()
//
// A fault says what is wrong and how to fix it. Reading goes on after a fault,
// so that one pass finds them all; but what cannot be judged any more because
// of a fault (a tool's id while tools.json is broken) is not held against
// others.
//
// A key is declared once, as a Key in the table of its object (func (x *X) keys), over what it is
// read into: its type, bounds, default and sentence. The table reads and faults the files; the
// JSON Schemas, the tables of docs/configuration-keys.md and `askgate config keys` are printed from it
// (print.go). What holds between keys are small functions beside it (check).
//
// Types of tools are listed by the program (Options.Tools). A type brings the table of its keys:
// ToolType.
//
// Order of precedence for addresses and stores: flag (Options.Overrides),
// environment (ASKGATE_...), file, default. Messages never show what a $NAME
// stands for.
//
// A Watcher reloads when fsnotify or, every two seconds, the files' stamps tell
// of a change. If a file is faulty, the previous snapshot stays active.
//
// The files form a line: load.go and what reads a file come before the keys that they have, those
// above the kinds of keys, the kinds above values, and values above the pass. A rule is given what it
// judges, never the loader.
//
// Files of ihub-apps are read unchanged; ihub.go holds what is known of them.
package config
