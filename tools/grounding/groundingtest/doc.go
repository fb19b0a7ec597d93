// Package groundingtest composes dialogues whose content is known, and measures with them how
// well package grounding tells invented arguments from said ones.
//
// A dialogue has sentences (phrases.txt) that name values as people say them, sometimes the
// result of a program, and sentences that name other values of the same kinds. The call has
// values that were named and values that were not. The invented ones are plausible and of the
// same kind: some differ from a named value in a figure, a day or a surname, and some were
// named as something else.
//
// Sentences and forms are split into two parts: one was used while the detector was written,
// the other was held out. No seed mixes the two parts in a dialogue.
package groundingtest
