// Package groundingtest composes dialogues of which it is known what was said in them, and
// measures with them how well package unfounded tells invented arguments from said ones.
//
// A dialogue is made of sentences (phrases.txt) that name values in a form of people, of a
// program's result now and then, and of sentences that name other values of the same kinds.
// A call then has values that were named, and values that were not: plausible ones of the
// same kind, among them those that differ in a figure, a day or a surname from what was
// named, and some that were named as something else.
//
// Sentences and forms are of two parts: what was looked at while the detector was written,
// and what was held out. No seed makes a dialogue of one part out of the other.
package groundingtest
