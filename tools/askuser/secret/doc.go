// Package secret finds questions that ask a person for a secret: a password or login
// data, a PIN, a one-time, verification or recovery code, the data of a payment card, a
// private or API key or a token, a social security number. An answer is stored with the
// chat and sent to a language model, which is no place for any of these.
//
//	text ── speaks ──> no noun that can be a secret's name: done (nearly all texts)
//	          │ read       words by what they can be, in all languages at once (words.go)
//	          ▼
//	        mentions       "password"; "code" only in company: "verification", "sent by SMS"
//	          │ ask        is it what the sentence wants?
//	          ▼
//	        Finding        the kind, and the field that asks
//
// # What counts
//
// A secret is what lets somebody else act as the person: sign in, pay, sign, open
// accounts. An IBAN stands on invoices, a user name, a customer number or an order's code
// opens nothing, and a public key is public: all of these are no secrets here. Social
// security numbers are, since in some countries they open accounts.
//
// A part counts only if the person writes: text, number, and whatever has allow_other.
// A choice among options tells what the model offered; a note beside it is the person's
// own idea. A date is no secret.
//
// # The method
//
// English, German, French and Spanish share one lexicon of about 1,000 words in classes
// (noun, company, verb of handing over, question word, preposition, ...). It need not be
// known which language a question is in; German compounds are read by their last noun. A
// mention is wanted by a clause in one of four ways:
//
//   - wanted: nothing but the secret stands behind a question word, "What is your
//     password", and not "Which password manager" or "What is the length of the password";
//   - handed: a verb of handing over has it as its object, "Please enter the password",
//     and not "Where do users enter the password";
//   - told: any other order that is about the person's own one, "Mándeme su clave";
//   - bare: the text is nothing else, "Password?", "Card number, expiry, CVV".
//
// And a clause without a noun means what was named before it: "I need a token. Please
// paste it below".
//
// # Limits
//
// It is a matter of words. A secret by another name ("the word you log in with"), in
// another language, in a picture or spread over several questions is not found, and
// neither is what a model asks for in its plain text. A user may always write a secret
// unasked.
//
// # Measured
//
// On 1,360 questions written for this purpose (secreteval/testdata; recall is the share
// found of those that ask for a secret, false alarms the share found of the others, many
// of which speak of secrets too):
//
//	tuning    1020 questions   recall 98.9 %   false alarms 0.0 %
//	heldout    340 questions   recall 93.6 %   false alarms 1.6 %
//
// The rules were not tuned to what they missed in the second, with one exception: its
// misses were seen once, and a false alarm among them showed a fault in a new rule. Both
// were written by the same hand as the rules. Questions in quite new
// words are found less often: four fresh sets, each measured before any of it was used,
// had a recall of 67, 68, 75 and 82 % and 2 to 3 % of false alarms. So this keeps a model
// from a bad habit; it is not a security boundary.
//
// An ordinary question costs 0.1 µs of processor time, one that asks for a secret 1.2 µs,
// the largest form that is legal 60 µs, and 145 µs where each of its texts is full of
// keys, codes and numbers (BenchmarkFind). The tables are made at the start of the
// program, in a few tenths of a millisecond.
package secret
