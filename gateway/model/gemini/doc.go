// Package gemini implements model.Model over Google's Gemini API (v1beta), for Google and compatible
// servers.
//
// # Flow
//
//	Request --request.go, contents.go--> POST BaseURL/models/MODEL:streamGenerateContent?alt=sse
//	  upstream:  send; retry after a failure before the first piece of an answer
//	  scan.go:   an ordinary chunk of text or thought -> its text, without allocating
//	  event.go:  every other chunk, through encoding/json
//	  parts.go:  the parts of the answer; state.go sends them back
//	  stream.go: pieces for the caller; whole tool calls; the end of the answer, or its error
//
// Everything runs on the caller's goroutine, as in package openai. The key is in a header, never in
// the URL.
//
// # Rules of the API
//
// Sources of these rules: types.go of google.golang.org/genai v1.77.0 (29 October 2026), and
// modeltest/strict, which names the source of each.
//
//   - Gemini 3 signs its thoughts. In the current turn, the thoughtSignature of the first call of each
//     step must go back, on the part that had it. Parts with and without a signature are never joined.
//     If it is not known, the call has "skip_thought_signature_validator", which Google documents for
//     histories of other models. Calls have it in all turns, not only in the current one, so that each
//     request of a chat begins with the bytes of the one before.
//   - The content after calls has one functionResponse for each of them, in their order, and
//     nothing else. Images and PDFs of results follow in a content of their own, which all models
//     accept; only Gemini 3 accepts them within a functionResponse.
//   - A call comes directly after a user's content or responses, so adjacent messages of the assistant
//     are joined into one content.
//   - The id of a call is optional. If the server sent one, it goes back; if not, none does, and only
//     the position shows which call a response belongs to. Calls of other makers have a model.WireID.
//   - Names of functions begin with a letter or _, and have letters, digits, _ and -. Any other name is
//     replaced with a valid one, the same each time, and translated back.
//   - Gemma has no systemInstruction: the system prompt goes before the first text of the user.
//
// # Answers
//
// A stream has no marker at its end: only usage may follow the chunk with a finishReason, and a stream
// without one is cut. A prompt that is blocked has no candidate, and counts as refused. Each chunk
// repeats the usage; the last one counts. MALFORMED_FUNCTION_CALL depends on sampling and not on the
// request, so the same request is sent once more if nothing has been yielded yet.
package gemini
