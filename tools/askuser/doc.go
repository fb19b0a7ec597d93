// Package askuser implements the ask_user tool: the model asks, the user answers, and the
// model reads the answer as the result of its call.
//
//	arguments (any bytes)                                 answer of the user
//	   │ parse     size, depth, one JSON value               │ Check   a structured answer: pure, normalized
//	   │ repair    names, type words, shapes, white space    │ Read    a plain message, if it is an answer
//	   │ validate  limits, ranges, patterns, secrets         │
//	   ▼                                                     ▼
//	tools.Question ── stored, shown, waits ──────────>   Resume: the tool result
//
// # Asking
//
// Run never guesses. Arguments with one plausible reading are repaired silently, and
// Outcome.Repairs lists the kinds of repair (the Repair constants). All others are refused
// with a *tools.Error that gives the field, the limit, the size and the correction, so that
// the model can call again. Its Reason is one of the Reason constants. It lists up to
// maxFaults faults. Valid text is never altered, and patterns are not even trimmed. Two
// repairs change what the model sent: cosmetic texts over their limit are cut, and the max
// of a text is lowered to the answer limit, since the server would otherwise refuse an
// answer that the card accepts.
//
// The only option that is ever dropped is an "Other" when allow_other is set. lists finds
// every list of options in any unambiguous shape, and given requires that they agree. Options on a type without options turn the question into a choice (choice).
// They are refused if that would lose a rule, or if a program or an admin asks: their input
// types never change.
//
// A Template is a question written by an admin. The model gives its name and values; all
// other words are the admin's, and the same rules apply. If a tool lists the options, Run
// leaves them out and names their source (tools.Question.Sources): the caller of Run
// fetches them.
//
// Cases that docs/protocol.md leaves open:
//
//   - `question` next to `questions`: a top-level question with a type or options
//     of its own is asked first. Text alone becomes the context of the first
//     question, if that has no context and differs.
//   - An option "Other" without a description is dropped if allow_other is set and other
//     options remain.
//   - Validation of a select or confirm is dropped, as is a pattern on any type but text.
//   - U+0000, half surrogate pairs and invalid UTF-8 are refused: no store and no
//     browser carries them unchanged.
//
// # Answering
//
// A clarification with one part takes a flat answer (or `answers` with one
// entry); a form takes `answers` with one entry per part. `other` is accepted
// wherever allow_other is set, alone or with a value, and counts as one
// choice of a multiselect. Each entry of a form can be declined. Check returns
// these values: a text unchanged, a number as a JSON number (with the digits as
// typed), a date as YYYY-MM-DD, an option's value, "yes" or "no". Faults carry one
// of the Fault constants.
//
// Read takes a plain message only for a clarification with one part: it cannot know
// which question of a form a sentence answers. What it returns passes Check. If skipping is
// allowed, a word for skipping skips the question, even one for a text: to give that word as
// the answer, send a structured answer.
//
// # The result
//
// For one part, the result is the plain answer; for several, one line each. In a text of
// several lines every line after the first is indented, so that none can pass for the line
// of another question. This applies to every character that any reader takes for a line break.
package askuser
