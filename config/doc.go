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
//	        -> whether the gateway would be open to strangers (exposure.go)
//	                                                            |
//	          any fault?  yes -> Faults, all of them, file:line:col: message
//	                      no  -> *Snapshot  ->  Watcher.Current()
//
// A fault says what is wrong and how to fix it. Reading goes on after a fault,
// so that one pass finds them all. A fault that only follows from another is not
// reported: while tools.json is broken, no app is blamed for the ids in its list.
//
// A key is declared once, as a Key in the table of its object (func (x *X) keys): where its value goes,
// and its type, limits, default and description. The table reads the files and reports their faults; the
// JSON Schemas, the tables of docs/configuration-keys.md and `askgate config keys` are printed from it
// (print.go). Rules between keys are small functions next to the table (check).
//
// The program lists the types of tools (Options.Tools). Each type has a table of its own keys: see
// ToolType.
//
// Order of precedence for addresses and stores: flag (Options.Overrides),
// environment (ASKGATE_...), file, default. Messages never show the value of a
// $NAME.
//
// A Watcher reloads when fsnotify reports a change, or when a look at the files every two
// seconds finds one. If a file is faulty, the previous snapshot stays active.
//
// The source files form layers, and each uses only those below it: load.go and the readers of files, the
// keys, the kinds of keys, values, and the pass. A rule gets what it checks, never the loader.
//
// Files of ihub-apps are read unchanged; ihub.go contains what is known about them.
package config
