// Package passages reads files of texts, and splits them into passages: what a search finds
// and a person is shown.
//
//	file ──by its extension──> Markdown, HTML, lines of JSON, plain text
//	                             │ headings, anchors, text without markup
//	                             v
//	                           sections ──longer than MaxText: at paragraphs──> passages
//
// A passage belongs to a work, the document that it is of, and its Key names it in its file,
// the same after an edit elsewhere: that is what citations live of. What cannot be read is a
// Fault, with its line, and the rest of the file is read nevertheless. Nothing here touches
// a disk.
package passages
