// Package secret finds questions that ask a person for a secret: a password or login
// data, a PIN or PUK, a one-time, verification or recovery code, the code of a door or an
// alarm, the data of a payment card, a private or API key, a token, a connection string, the
// words of a wallet, the answer to a security question, the number of a passport, identity
// card, insurance, tax or social security, and what else an admin names. An answer is stored
// with the chat and sent to a language model, which is no place for any of these.
//
//	text ── newText ──> words, folded: as they look, in small letters, put together again
//	          │ mentions   nouns of secrets: "password"; "code" in company: "SMS"  (lexicon.txt)
//	          ▼
//	        bag            signs: words, their parts and pairs, classes of words, shapes of the sentence
//	          │ score      the sum of their weights                              (weights.bin)
//	          ▼
//	        Finding        the kind, and the field that asks
//
// # What counts
//
// A secret is what lets somebody else act as the person: sign in, get in, pay, sign, open
// accounts. An IBAN stands on invoices, a user name, a customer number or an order's code
// opens nothing, and a public key is public: all of these are no secrets here.
//
// A part counts only if the person writes: text, number, and whatever has allow_other.
// A choice among options tells what the model offered. A date is no secret.
//
// # The method
//
// English, German, French and Spanish share one lexicon of words in classes (verbs of handing
// over, question words, prepositions, what is managed, what a thing has, ...), which names
// secrets, too. Signs of a question are its words by field, alone and by twos, three to six
// letters of a word, up to three classes in a row (bag.go), and where the lexicon finds a secret
// the classes around it, alone and together with the word that leads the sentence (score.go).
// Each sign has a weight, and a sum above zero is a finding. The weights are fitted by
// secreteval to labelled questions that language models wrote one by one; the lexicon is
// written by hand. A question that names no secret can be one, too: "What do you type to
// unlock it?"
//
// # Measured
//
// Of 12,440 questions written for this purpose, half of which ask for a secret; half of the
// others speak of one. Each set was written apart from the others, and is measured with
// weights fitted to them only (recall is the share found of those that ask, false alarms the
// share found of the others):
//
//	go run ./tools/askuser/secret/secreteval
//
//	everyday use     d e h i j k     3,905 questions   recall 91.1 %   false alarms 1.0 %
//	as written for
//	developers           a             896 questions   recall 82.9 %   false alarms 1.8 %
//	customers            b             898 questions   recall 81.1 %   false alarms 1.3 %
//	agents               f           1,099 questions   recall 91.3 %   false alarms 3.1 %
//	near misses          c g         2,058 questions   recall 75.3 %   false alarms 3.1 %
//	earlier ones       first         3,584 questions   recall 87.7 %   false alarms 2.4 %
//
// Questions that the weights never saw, written to be hard (secreteval/testdata/apart.jsonl, sets p q s t u, measured
// with go run ./tools/askuser/secret/secreteval FILE): of 2,900 questions recall 75.2 %, false alarms 3.7 %; of the
// 500 among them with no subject to lean to (u) 76.0 % and 1.6 %.
//
// The margin on the side of false alarms was chosen by these figures. So this keeps a model
// from a bad habit; it is not a security boundary. What is missed most describes a secret in
// words that no question before had; false alarms are mostly questions that say that the
// secret itself is not wanted, or where something is. A question takes some 50 µs, the
// largest form some 10 ms.
package secret
