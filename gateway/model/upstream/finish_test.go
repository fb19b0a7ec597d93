package upstream_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/upstream"
)

// The finish reasons of all providers (November 2026), as each of them writes its own.
func TestEachWordForAnEndMeansTheSameFromEachServer(t *testing.T) {
	for ending, words := range map[upstream.Ending]string{
		upstream.EndGood:    "stop STOP end_turn stop_sequence eos eos_token completed load unload Stop END-TURN",
		upstream.EndCalls:   "tool_calls function_call tool_use TOOL_CALLS tool-calls",
		upstream.EndCut:     "length max_tokens MAX_TOKENS max_output_tokens model_length",
		upstream.EndContext: "model_context_window_exceeded context_length_exceeded exceed_context_size",
		upstream.EndRefused: "content_filter content-filter content_filtered guardrail_intervened refusal sensitive SAFETY safety RECITATION BLOCKLIST" +
			" PROHIBITED_CONTENT prohibited_content SPII LANGUAGE IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION MODEL_ARMOR JAILBREAK",
		upstream.EndFailed: "error network_error insufficient_system_resource MALFORMED_FUNCTION_CALL malformed_function_call UNEXPECTED_TOOL_CALL" +
			" TOO_MANY_TOOL_CALLS malformed_tool_use malformed_model_output OTHER FINISH_REASON_UNSPECIFIED NO_IMAGE IMAGE_OTHER failed cancelled abort",
		upstream.EndPaused: "pause_turn compaction CONTINUATION steered max_messages",
	} {
		for word := range strings.FieldsSeq(words) {
			if got := upstream.EndOf(word); got != ending {
				t.Errorf("%s: %d, want %d", word, got, ending)
			}
		}
	}
	if got := upstream.EndOf(""); got != upstream.EndNone {
		t.Errorf("no word: %d", got)
	}
	for _, word := range []string{"banana", "-", "stopp", strings.Repeat("x", 1<<16)} {
		if got := upstream.EndOf(word); got != upstream.EndFailed {
			t.Errorf("%.20s: %d", word, got)
		}
	}
}
