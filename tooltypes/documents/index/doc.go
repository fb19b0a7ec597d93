// Package index finds passages with a full-text index, SQLite's FTS5, in a file of its own.
//
//	text ──words──> folded words, Chinese and Japanese in pairs ─> find (FTS5)
//	                                                └──────────> terms, and their trigrams
//
// A search goes through tiers, and stops when it has enough hits:
//
//	the article that is cited ─┬> all words in the title ─> all words ─> as other forms or synonyms ─> as beginnings ─> with other spellings ─> any word
//	                           └> for a question: any of the words, weighed by how rare they are and by the texts
//
// Numbers of articles are terms of their passages' titles, with marks that no text has. Words knows
// stop words, stems and synonyms; only searches need it, so that another language or synonym needs
// no other index.
//
// Other spellings of a rare word are terms that differ from it in few letters, or that contain it;
// trigrams find them. If very many passages match, only the first ones in the index are ranked:
// ranking takes most of the time, and a word that so many passages have says little.
//
// There is one writer and many readers, and they do not wait for each other (WAL). The file is a
// cache: it can be deleted without loss, and is rebuilt if it is damaged. Several processes may
// share it.
package index
