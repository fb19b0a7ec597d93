// Package secret finds questions that ask for a secret: a password or login data, a PIN or
// PUK, a one-time, verification or recovery code, the code of a door or an alarm, payment card
// data, a private or API key, a token, a connection string, the words of a wallet, the answer
// to a security question, the number of a passport, identity card, insurance, tax or social
// security, and anything else that an admin names. Answers are stored with the chat and sent
// to a language model, where secrets do not belong.
//
//	text ── words ──> words and punctuation, by appearance, in lower case
//	          │ named     meaning: secrets ("password"), secrets in context ("SMS code"), classes  (lexicon.txt)
//	          ▼
//	        bag           signs: words, their parts and neighbors, sequences of names, forms of sentences
//	          │ score     the sum of their weights                                     (weights.bin)
//	          ▼
//	        Finding       the kind, and the field that asks
//
// # What counts
//
// A secret is data that lets another person act as the user: sign in, get in, pay, sign, open
// accounts. These are not secrets: an IBAN, which is printed on invoices; a user name, a
// customer number or an order code, which open nothing; and a public key.
//
// A part counts if the user writes the answer: text, number, and any part with allow_other.
// The text of its options does not count: the model already knows it, and "API key in a
// header" is a way to sign in. A choice without allow_other counts only if its question or
// header names a secret and asks the user to pick their own ("Which of these is your PIN?").
// A date is not a secret.
//
// # The method
//
// English, German, French and Spanish share one lexicon of words in classes (verbs of handing
// over, question words, prepositions, managed things, attributes, ...), which also names
// secrets. The signs of a question are its words, three to six letters of a word, the stem
// next to a word, up to three names in sequence, and for each sentence its punctuation,
// imperative, question word, beginning, length and secrets (secret.go). Most are the same in
// all fields of a question. Each has a weight, and a sum above zero is a finding. secreteval
// fits the weights to labelled questions, most of which language models wrote one by one (880
// plain ones are generated from patterns); the lexicon is written by hand. Without the
// lexicon, six more of a hundred secrets are missed. A question can ask for a secret without
// naming one: "What do you type to unlock it?"
//
// # Measured
//
// Held-out sets of questions from everyday life and work in four languages. Each was measured
// once, after signs, margin and weights were final. Recall is the share found among questions
// that ask for a secret, false alarms the share found among the others:
//
//	z      800 questions, 300 of which ask   recall 91.3 %   false alarms 0.6 %
//	zz     600 questions, 240 of which ask   recall 96.7 %   false alarms 0.0 %
//
// Both together, measured again with the current weights, which were fitted to more questions:
// 94.1 % and 0.2 %. Two sets with cases that these lack: options, separated letters, error
// messages, backup codes, .env files, session cookies, member numbers (apart-choices.jsonl;
// before: 30 % and 7 % found):
//
//	zz1    169 questions,  68 of which ask   recall 80.9 %   false alarms 0.0 %
//	zz2    103 questions,  43 of which ask   recall 95.3 %   false alarms 0.0 %
//
//	go run ./tools/askuser/secret/secreteval tools/askuser/secret/secreteval/testdata/apart.jsonl
//
// 22,255 other questions. Nearly half ask for a secret; many of the rest mention one. Each set
// was written separately, and is measured with weights fitted to the other sets only:
//
//	go run ./tools/askuser/secret/secreteval
//
//	everyday use     d e h i j k     3,905 questions   recall 96.0 %   false alarms 0.7 %
//	                 v w x y         4,792 questions   recall 87.4 %   false alarms 1.2 %
//	                 all of these    8,697 questions   recall 91.3 %   false alarms 1.0 %
//	as written for
//	developers           a             896 questions   recall 91.3 %   false alarms 0.9 %
//	customers            b             898 questions   recall 90.9 %   false alarms 1.1 %
//	agents               f           1,099 questions   recall 95.3 %   false alarms 2.4 %
//	near misses          c g         2,058 questions   recall 86.7 %   false alarms 1.9 %
//	earlier ones       first         3,584 questions   recall 93.8 %   false alarms 5.1 %
//	hard ones        p q s t u       2,900 questions   recall 86.9 %   false alarms 3.4 %
//	made by pattern    plain           880 questions   recall 81.7 %   false alarms 0.0 %
//	                   short         1,243 questions   none ask        false alarms 2.9 %
//
// The signs, and the margin that favors fewer false alarms, were chosen by the results for
// everyday use. This keeps a model from a bad habit; it is not a security boundary. Most missed
// questions describe a secret in new words. Most false alarms say that the secret itself is
// not wanted, or ask where something is. More questions would still help: with half of them,
// five more of a hundred secrets are missed. A question takes about 50 µs, the largest form
// about 5 ms.
package secret
