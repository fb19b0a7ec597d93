// Package index finds passages: a full-text index of its own file, SQLite's FTS5.
//
//	text ──words──> folded words, Chinese and Japanese by twos ──> find (FTS5)
//	                                                └──────────> terms, and their trigrams
//
// A search goes through tiers, and stops when it has what was wanted:
//
//	all words in the title ─> all words ─> as beginnings ─> with other spellings ─> any word
//
// Another spelling of a word that is not there is a term that few letters tell from it, or
// that it is a part of: trigrams find those. Of many passages that fit, only the first of the
// index are ranked: that is what takes the time, and a word that so many have tells little.
//
// One writes, many read, and nobody waits for the other (WAL). The file is a cache: nothing
// is lost with it, and what is damaged is built anew. Several processes may share one.
package index
