// Package extract reads the text of PDF and DOCX files: with headings, where they can be told, and
// pages.
//
//	Reader.Read ── file ──> child process ── PDFium in WebAssembly, or archive/zip and encoding/xml
//	                              │
//	                              └── frames: ready, then the text or why there is none
//
// Such files come from outsiders, and their parsers are large. A goroutine that never ends, or takes all
// the memory, cannot be stopped. So the same program is started once more as a child (Hook), which gets
// no environment and opens no files. On Linux, the child limits its memory to MaxMemory before it reads
// anything; elsewhere only the memory of PDFium is limited. A child that exceeds MaxTime is killed, and
// one whose parent is gone ends. One that succeeded reads further files for a while, as PDFium takes
// seconds to start; each PDF is read in a fresh instance of PDFium.
package extract
