// Package secret finds questions that ask a person for a secret: a password or login
// data, a PIN or PUK, a one-time, verification or recovery code, the code of a door or an
// alarm, the data of a payment card, a private or API key, a token, a connection string, the
// words of a wallet, the answer to a security question, the number of a passport, identity
// card, insurance, tax or social security, and what else an admin names. An answer is stored
// with the chat and sent to a language model, which is no place for any of these.
//
//	text ── words ──> words and marks, as they look, in small letters
//	          │ named     what they are: secrets, "password", or "code" in company, "SMS"; classes  (lexicon.txt)
//	          ▼
//	        bag           signs: words, their parts and neighbours, names in a row, how sentences go
//	          │ score     the sum of their weights                                     (weights.bin)
//	          ▼
//	        Finding       the kind, and the field that asks
//
// # What counts
//
// A secret is what lets somebody else act as the person: sign in, get in, pay, sign, open
// accounts. An IBAN stands on invoices, a user name, a customer number or an order's code
// opens nothing, and a public key is public: all of these are no secrets here.
//
// A part counts where the person writes: text, number, and whatever has allow_other. What its
// options say does not count: the model knows it, and "API key in a header" is a way to sign in.
// A choice without own words counts only where its question or header names a secret, and wants
// the person's own picked out ("Which of these is your PIN?"). A date is not a secret.
//
// # The method
//
// English, German, French and Spanish share one lexicon of words in classes (verbs of handing
// over, question words, prepositions, what is managed, what a thing has, ...), which names
// secrets, too. Signs of a question are its words, three to six letters of a word, the stem
// beside a word, up to three names in a row, and of each sentence its mark, order, question
// word, beginning, length and secrets (secret.go). Most are the same in all fields of a
// question. Each has a weight, and a sum above zero is a finding. The weights are fitted by
// secreteval to labelled questions, most of which language models wrote one by one (880 plain
// ones are made by pattern); the lexicon is written by hand. Without the lexicon six of a
// hundred secrets more are missed. A question that names no secret can be one, too: "What do
// you type to unlock it?"
//
// # Measured
//
// Questions that were kept apart from everything, in sets of their own (everyday life and work in four
// languages). Each was measured once, when signs, margin and weights were settled; recall is the share
// found of those that ask, false alarms the share found of the others:
//
//	z      800 questions, 300 of which ask   recall 91.3 %   false alarms 0.6 %
//	zz     600 questions, 240 of which ask   recall 96.7 %   false alarms 0.0 %
//
// Again, together, with the weights in force, which know some more questions: 94.1 % and 0.2 %.
// And a set that has what these lack: options, letters set apart, error messages, backup codes,
// .env files, session cookies, member numbers (apart-choices.jsonl; found before: 30 %, 7 %):
//
//	zz1    169 questions,  68 of which ask   recall 80.9 %   false alarms 0.0 %
//	zz2    103 questions,  43 of which ask   recall 95.3 %   false alarms 0.0 %
//
//	go run ./tools/askuser/secret/secreteval tools/askuser/secret/secreteval/testdata/apart.jsonl
//
// 22,255 other questions, nearly half of which ask for a secret; many of the rest speak of one. Each
// set was written apart from the others, and is measured with weights fitted to them only:
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
//	                   short         1,243 questions   none asks       false alarms 2.9 %
//
// The margin on the side of false alarms was chosen by the figures of everyday use, and so were the signs. So this
// keeps a model from a bad habit; it is not a security boundary. What is missed most describes
// a secret in words that no question before had; false alarms are mostly questions that say
// that the secret itself is not wanted, or where something is. More questions help still: with
// half of them, five of a hundred secrets more are missed. A question takes some 50 µs, the
// largest form some 5 ms.
package secret
