// Package askuser is the ask_user tool: the model asks, a person answers, the
// model reads the answer as the result of its own call.
//
//	arguments (any bytes)                                 answer of a person
//	   │ parse     bounds, one JSON value                    │ Check   structured: pure, normalised
//	   │ repair    names, type words, shapes, white space    │ Read    a plain message, if it reads as one
//	   │ validate  limits, ranges, patterns, secrets         │
//	   ▼                                                     ▼
//	tools.Question ── stored, shown, waited for ──>   Resume: the tool result
//
// # Asking
//
// Run never guesses at meaning. What has one plausible reading is repaired
// silently, and each kind of repair is named in Outcome.Repairs (the Repair
// constants). Everything else is refused with a *tools.Error that names the field,
// the limit, the size and how to correct it, so that the model can call again; its
// Reason is one of the Reason constants. It lists up to maxFaults faults. Legal text
// is never altered, and a pattern not even trimmed. Two repairs change what the model
// sent: cosmetic texts over their limit are cut, and the max of a text above the
// answer limit is lowered to it, since the server would refuse what the card accepts.
//
// No option is dropped but an "Other" beside allow_other. All lists of a question are found
// (lists), in any shape that has one reading, and must mean the same (given). Beside a type that
// has no options they make a choice (choice), or are refused: of a program or an admin, whose
// input types stay what they are, and where a rule would be lost.
//
// A Template is a question that an admin wrote: the model gives its name and values, and
// every other word is the admin's, under the same rules. If a tool lists the options, Run
// leaves them out and names their source (tools.Question.Sources): the caller of Run
// fetches them.
//
// Where the contract is silent:
//
//   - `question` next to `questions`: a top-level question with a type or options
//     of its own is asked first; a bare text becomes the context of the first
//     question, if that has none and says something else.
//   - an option "Other" without a description, where allow_other: dropped, unless no other
//     is left.
//   - validation on a select or confirm, a pattern on anything but a text: dropped.
//   - U+0000, half surrogate pairs and invalid UTF-8 are refused: no store and no
//     browser carries them unchanged.
//
// # Answering
//
// A clarification with one part takes a flat answer (or `answers` with one
// entry), a form takes `answers` with one entry per part. `other` is accepted
// wherever allow_other is set, alone or beside the value, and counts as one
// choice of a multiselect. An entry of a form may be declined by itself. The
// values of Check's normalised answer: a text as it came, a number as a JSON
// number (the digits as typed), a date as YYYY-MM-DD, an option's value, "yes"
// or "no". Faults carry one of the Fault constants.
//
// Read takes a plain message only for a clarification of one part: it cannot know
// which question of a form a sentence is for. What it returns passes Check. A word for
// skipping skips where that is allowed, also a text: who wants to write that word sends an
// answer.
//
// # The result
//
// One part: the plain answer. Several: one line each. In a longer text every line
// after the first is indented, for all characters that some reader takes for a line
// break, so that no text can pass for another question's line.
package askuser
