package providers_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model/modeltest/strict"
	"github.com/askgate/askgate/gateway/turn"
)

// ends maps each end to its words, by API: words in one line mean the same.
var ends = map[string]map[chat.FinishReason]string{
	"chat": {
		chat.FinishStop:          "stop eos STOP",
		chat.FinishLength:        "length max_tokens model_length model_context_window_exceeded",
		chat.FinishContentFilter: "content_filter content-filter sensitive refusal",
		chat.FinishError:         "error network_error insufficient_system_resource malformed_function_call abort a_word_of_tomorrow",
	},
	"messages": {
		chat.FinishStop:          "end_turn stop_sequence",
		chat.FinishLength:        "max_tokens model_context_window_exceeded pause_turn",
		chat.FinishContentFilter: "refusal",
		chat.FinishError:         "a_word_of_tomorrow",
	},
	"gemini": {
		chat.FinishStop:          "STOP",
		chat.FinishLength:        "MAX_TOKENS",
		chat.FinishContentFilter: "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII LANGUAGE IMAGE_SAFETY block:SAFETY block:PROHIBITED_CONTENT block:OTHER",
		chat.FinishError:         "MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS OTHER FINISH_REASON_UNSPECIFIED A_WORD_OF_TOMORROW",
	},
	"responses": {
		chat.FinishLength:        "max_output_tokens",
		chat.FinishContentFilter: "content_filter",
		chat.FinishError:         "failed",
	},
}

// An end is reported with its meaning, and after an end that is not good no call is run.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, k := range []*strict.Kind{strict.OpenAI41, strict.ClaudeBudget, strict.Gemini3, strict.Responses56} {
		wire := map[string]string{"openai": k.API, "anthropic": "messages", "gemini": "gemini"}[k.Provider]
		for reason, words := range ends[wire] {
			for _, word := range strings.Fields(words) {
				t.Run(wire+" "+word, func(t *testing.T) {
					t.Parallel()
					s := strict.New(t, k, strict.Answer{Parts: []strict.Part{{Text: "As far as I came."}}, Finish: word})
					h := open(t, s)
					got := h.says("Hi")
					if got.done.FinishReason != reason || (got.failure != "") != (reason == chat.FinishError) {
						t.Errorf("it is reported as %q, error %s, want %q\n%s", got.done.FinishReason, got.failure, reason, h.log)
					}
					if reason == chat.FinishError && !strings.Contains(got.failure, `"retryable":true`) {
						t.Errorf("it cannot be resumed: %s", got.failure)
					}
					if !strings.HasPrefix(word, "block:") && got.text != "As far as I came." {
						t.Errorf("text %q", got.text)
					}
					if reason == chat.FinishStop {
						return
					}
					s = strict.New(t, k, strict.Answer{Parts: []strict.Part{{Text: "I count."}, {Call: &strict.Call{Name: "calculator", Arguments: sum}}}, Finish: word})
					h = open(t, s)
					h.says("Count")
					if n := h.ran.Load(); n != 0 {
						t.Errorf("%d calls ran", n)
					}
				})
			}
		}
	}
}

// Reasoning is shown if the configuration allows it and the server sends it, and is still there
// after a reload; its state is sent back in either case.
func TestReasoningIsShown(t *testing.T) {
	t.Parallel()
	silent := map[*strict.Kind]bool{ // servers that send none
		strict.OpenAI41: true, strict.OpenAI54: true, strict.OpenAI56: true, strict.Azure: true, strict.XAIPlain: true, strict.LiteLLMGemini: true, strict.GeminiChat: true,
	}
	onEach(t, func(t *testing.T, k *strict.Kind) {
		for _, show := range []bool{true, false} {
			s := strict.New(t, k, strict.Calls("First I count.", "", call("calculator", sum)), strict.Think("Then I answer.", "Two."), strict.Say("Fine."))
			h := open(t, s)
			h.entries[0].set = func(m *config.Model) { m.Reasoning.Show, m.Reasoning.Effort = show, "high" }
			h.restart()
			got := h.says("Count")
			h.want(got, "Two.")
			want := ""
			if show && !silent[k] {
				want = "First I count.Then I answer."
			}
			if got.thinking != want {
				t.Errorf("show %v: people see %q, want %q", show, got.thinking, want)
			}
			stays := ""
			for _, m := range h.snapshot().Messages {
				stays += m.Thinking
			}
			if stays != want {
				t.Errorf("show %v: after a reload people see %q, want %q", show, stays, want)
			}
			h.want(h.says("Thanks"), "Fine.")
			for _, f := range s.Flaws() {
				t.Error(f)
			}
		}
	})
}

// Each request of a chat begins with all of the previous one, and marks that for the server's cache
// in the way that the server knows, and in no other.
func TestCaching(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		s := strict.New(t, k, strict.Calls("I ask.", "", call("ask_user", question)), strict.Calls("I count.", "", call("calculator", sum)), strict.Say("Two."), strict.Say("Fine."))
		h := open(t, s)
		h.asks(h.says("Count"))
		h.restart()
		h.want(h.answers(0, value("blue")), "Two.")
		got := h.says("Thanks")
		h.want(got, "Fine.")
		if got.done.Usage.CachedInputTokens == 0 {
			t.Error("nothing was read from the cache")
		}
		h.clean()
		h.appendOnly()
		keys := map[string]bool{}
		for n, r := range s.Requests() {
			raw := string(r.Raw)
			marks := strings.Count(raw, `"cache_control":`)
			if want := k.Provider == config.ProviderAnthropic; want != (marks >= 3 && marks <= 4) || !want && marks > 0 {
				t.Errorf("request %d: %d marks", n, marks)
			}
			_, after, there := strings.Cut(raw, `"prompt_cache_key":"`)
			own := strings.Contains(k.BaseURL, "openai.com") || strings.Contains(k.BaseURL, "openai.azure.com")
			if there != own {
				t.Errorf("request %d: a key for the cache: %v, want %v", n, there, own)
			}
			key, _, _ := strings.Cut(after, `"`)
			keys[key] = true
		}
		if len(keys) != 1 {
			t.Errorf("keys %v, want one", keys)
		}
	})
}

// To the server, a fork is the same chat: it gets its own state back.
func TestAFork(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		s := strict.New(t, k, strict.Calls("I count.", "Counting.", call("calculator", sum)), strict.Think("Done.", "Two."), strict.Think("Once more.", "Still two."), strict.Think("Or so.", "Also two."))
		h := open(t, s)
		h.want(h.says("Count"), "Counting.Two.")
		h.want(h.says("Sure?"), "Still two.")
		messages := h.snapshot().Messages
		last := messages[len(messages)-2]
		from := chat.Fork{ChatID: h.ref.ChatID, MessageID: last.ID}
		h.ref.ChatID = "c2"
		other := "Really?"
		h.want(h.drive(turn.Command{Fork: &turn.Fork{From: from, Message: &other}}), "Also two.")
		h.clean()
	})
}

// Opaque state appears in nothing that is shown: events, snapshots, the log.
func TestOpaqueStateIsShownNowhere(t *testing.T) {
	t.Parallel()
	opaque := regexp.MustCompile(`"(?:signature|data|encrypted_content|thoughtSignature|thought_signature)":"([^"]+)"`)
	onEach(t, func(t *testing.T, k *strict.Kind) {
		s := strict.New(t, k, strict.Calls("I ask.", "Wait.", call("ask_user", question), call("calculator", sum)), strict.Think("Blue.", "Blue, then."), strict.Say("Fine."))
		h := open(t, s)
		first := h.says("Paint it")
		h.asks(first)
		h.restart()
		second := h.answers(0, value("blue"))
		h.want(second, "Blue, then.")
		third := h.says("Thanks")
		snapshot, err := json.Marshal(h.snapshot())
		if err != nil {
			t.Fatal(err)
		}
		shown := first.raw + second.raw + third.raw + string(snapshot) + h.log.String()
		for _, handed := range s.Handed() {
			for _, m := range opaque.FindAllStringSubmatch(handed, -1) {
				if strings.Contains(shown, m[1]) {
					t.Errorf("%s is shown", m[0])
				}
			}
		}
	})
}
