// Package passages reads files of texts, and splits them into passages, which searches find and
// people are shown.
//
//	file ──by its extension──> Markdown, HTML, lines of JSON, plain text
//	                             │ front matter, members, meta elements: Facts
//	                             │ headings, anchors, text without markup
//	                             v
//	                           sections ──longer than MaxText: at paragraphs──> passages
//
// A passage belongs to a work, which is the document that contains it. Its Key identifies it in
// its file and does not change if another part of the file is edited, so that citations stay
// valid. A part that cannot be read becomes a Fault with its line, and the rest of the file is
// still read. This package does not access the disk.
package passages
