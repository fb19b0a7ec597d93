// Package gemini speaks Google's Gemini API (v1beta), to Google and to servers that are compatible
// with it.
//
// # Flow
//
//	Request --request.go, contents.go--> POST BaseURL/models/MODEL:streamGenerateContent?alt=sse
//	  upstream:  send; retry what failed before the first piece of an answer
//	  scan.go:   an ordinary chunk of text or thought -> its text, without allocating
//	  event.go:  every other chunk, through encoding/json
//	  parts.go:  the parts of the answer, as they go back: state.go
//	  stream.go: pieces for the caller; whole tool calls; the end, or how it failed
//
// Everything runs on the caller's goroutine, as in package openai. The key is in a header, never in
// the address.
//
// # What the API insists on
//
// Names and dates of these rules: types.go of google.golang.org/genai v1.77.0 (29 October 2026), and
// modeltest/strict, which names the source of each.
//
//   - Gemini 3 signs its thoughts. In the current turn, the first call of each step carries its
//     thoughtSignature back, on the part that had it; parts with and without one are never joined.
//     Where none is known, the call says "skip_thought_signature_validator", which Google documents
//     for histories of other models. It says so in all turns, not only in the current one, so that
//     each request of a chat begins with the bytes of the one before.
//   - The content after calls has one functionResponse for each of them, in their order, and
//     nothing else. Pictures and PDFs of results follow in a content of their own, which all models
//     take; only Gemini 3 takes them within a functionResponse.
//   - A call comes directly after a user's content or responses: neighbours of the assistant's become
//     one content.
//   - An id of a call is optional. One that the server gave goes back; where it gave none, none does,
//     and position alone tells which response is whose. Calls of other makers have the nine letters
//     and digits of model.WireID.
//   - Names of functions begin with a letter or _, and have letters, digits, _ and -; others are
//     replaced, each by the same valid one every time, and translated back.
//   - Gemma has no systemInstruction: what the system says goes before the first text of the user.
//
// # What comes back
//
// A stream has no marker at its end: the chunk with a finishReason is the last but for usage, and a
// stream without one is cut. A prompt that is blocked has no candidate, and counts as refused. Each
// chunk repeats the usage; the last one counts. MALFORMED_FUNCTION_CALL depends on sampling,
// not on the request: the same one is sent once more where nothing was handed on yet.
package gemini
