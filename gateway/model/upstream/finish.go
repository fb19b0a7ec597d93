package upstream

import "strings"

// Ending is the meaning of a server's word for the end of an answer.
type Ending int

// The endings.
const (
	EndNone    Ending = iota // the server sent no word
	EndGood                  // the answer is complete
	EndCalls                 // the answer is complete, and has tool calls
	EndCut                   // the answer reached its limit of length
	EndRefused               // a filter or the model itself ended it
	EndFailed                // the model failed, or the word is not known
	EndContext               // prompt and answer together reached the model's limit
	EndPaused                // the server would continue if it got the answer back
)

// endings has the words of all providers (November 2026), in lower case and without '-' and '_'. A
// word of one provider means the same to the others.
var endings = func() map[string]Ending {
	table := map[string]Ending{}
	for ending, words := range map[Ending]string{
		EndGood:    "stop end_turn stop_sequence eos eos_token completed load unload",
		EndCalls:   "tool_calls function_call tool_use",
		EndCut:     "length max_tokens max_output_tokens model_length",
		EndContext: "model_context_window_exceeded context_length_exceeded exceed_context_size exceed_context_size_error",
		EndRefused: "content_filter content_filtered guardrail_intervened refusal sensitive safety recitation blocklist prohibited_content spii language" +
			" image_safety image_prohibited_content image_recitation model_armor jailbreak",
		EndFailed: "error network_error insufficient_system_resource malformed_function_call unexpected_tool_call too_many_tool_calls malformed_tool_use" +
			" malformed_model_output other finish_reason_unspecified no_image image_other failed cancelled abort",
		EndPaused: "pause_turn compaction continuation steered max_messages",
	} {
		for word := range strings.FieldsSeq(words) {
			table[bare(word)] = ending
		}
	}
	return table
}()

var separators = strings.NewReplacer("-", "", "_", "")

func bare(word string) string { return strings.ToLower(separators.Replace(strings.TrimSpace(word))) }

// EndOf returns the meaning of a word. It ignores case, '-' and '_'. An unknown word is EndFailed,
// because it may mean anything.
func EndOf(word string) Ending {
	if word == "" {
		return EndNone
	}
	if ending, known := endings[bare(word)]; known {
		return ending
	}
	return EndFailed
}
