package witness

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"
)

// replay responds to each request with one stream.
type replay string

func (r replay) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(string(r))), Request: req,
	}, nil
}

// beyond lists parts of streams that the SDK of Chat Completions does not read as the server means
// them, by server.
var beyond = map[string]string{
	"mistral":           "text",  // content as parts
	"minimax":           "text",  // reasoning within the text
	"lm studio":         "text",  // likewise
	"deepseek":          "calls", // the head of a call under the index of the previous one
	"gemini compatible": "calls", // all calls under index 0
	"ollama":            "calls", // likewise
	"qwen":              "calls", // names and ids that are blank after the first piece
	"litellm":           "calls", // {} before the real arguments
	"xai":               "usage", // output without the reasoning
	"kimi":              "usage", // within a choice
	"groq":              "usage", // within x_groq
	"litellm gemini":    "",
}

func TestTheSDKsReadEachStreamAsWeDo(t *testing.T) {
	n := map[string]int{}
	told := map[string]bool{}
	for _, e := range suite(t) {
		if e.Ours == nil || e.Status != http.StatusOK {
			continue
		}
		n[e.Kind]++
		theirs, err := read(t.Context(), e)
		if err != nil {
			if !strings.Contains(beyond[e.Kind], "text") && !told[e.Kind] {
				told[e.Kind] = true
				t.Errorf("%s: %v\n%s", e.Kind, err, e.Stream)
			}
			continue
		}
		ours := *e.Ours
		for what, same := range map[string]bool{
			"text": ours.Text == theirs.Text,
			// After an end that is not good no call is run: ours are gone then.
			"calls": len(ours.Calls) == 0 && cut(ours.Finish) || sameCalls(ours.Calls, theirs.Calls),
			"end":   ours.Finish == end(theirs.Finish),
			"usage": theirs.Usage == nil && ours.Usage == nil || theirs.Usage != nil && ours.Usage != nil && *theirs.Usage == *ours.Usage,
		} {
			if same || strings.Contains(beyond[e.Kind], what) || told[e.Kind+what] {
				continue
			}
			told[e.Kind+what] = true
			t.Errorf("%s: %s: ours %+v %+v, theirs %+v %+v\n%.4000s", e.Kind, what, ours, ours.Usage, theirs, theirs.Usage, e.Stream)
		}
	}
	t.Logf("streams: %v", n)
}

// end returns the meaning of a finish reason that the API knows, in the gateway's words. Others are
// tested by the suite.
func end(word string) string {
	switch strings.ToLower(word) {
	case "stop", "eos", "end_turn", "stop_sequence", "completed":
		return "stop"
	case "tool_calls", "tool_use":
		return "tool_calls"
	case "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "pause_turn":
		return "length"
	}
	return "content_filter"
}

func cut(finish string) bool { return finish == "length" || finish == "content_filter" }

// sameCalls compares calls and their arguments as JSON. For arguments that the server spoiled, an
// SDK passes on the text, or {} in its place.
func sameCalls(ours, theirs []call) bool {
	return slices.EqualFunc(ours, theirs, func(o, th call) bool {
		if o.ID != th.ID || o.Name != th.Name {
			return false
		}
		var ov, tv any
		if json.Unmarshal([]byte(o.Arguments), &ov) != nil {
			return th.Arguments == o.Arguments || th.Arguments == "{}"
		}
		return json.Unmarshal([]byte(th.Arguments), &tv) == nil && reflect.DeepEqual(ov, tv)
	})
}

func read(ctx context.Context, e exchange) (reading, error) {
	switch {
	case e.Provider == "anthropic":
		return readMessages(ctx, e.Stream)
	case e.Provider == "gemini":
		return readGemini(ctx, e.Stream)
	case strings.HasSuffix(e.Path, "/responses"):
		return readResponse(ctx, e.Stream)
	}
	return readChat(ctx, e.Stream)
}

func readChat(ctx context.Context, stream string) (r reading, err error) {
	c := openai.NewClient(option.WithAPIKey("k"), option.WithBaseURL("http://replay/v1"), option.WithMaxRetries(0), option.WithHTTPClient(&http.Client{Transport: replay(stream)}))
	s := c.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("x")}})
	for s.Next() {
		chunk := s.Current()
		if chunk.JSON.Usage.Valid() {
			u := chunk.Usage
			r.Usage = &usage{InputTokens: u.PromptTokens, CachedInputTokens: u.PromptTokensDetails.CachedTokens, OutputTokens: u.CompletionTokens, ReasoningTokens: u.CompletionTokensDetails.ReasoningTokens}
		}
		for _, choice := range chunk.Choices {
			r.Text += choice.Delta.Content
			if choice.FinishReason != "" {
				r.Finish = choice.FinishReason
			}
			for _, piece := range choice.Delta.ToolCalls {
				for int(piece.Index) >= len(r.Calls) {
					r.Calls = append(r.Calls, call{})
				}
				at := &r.Calls[piece.Index]
				at.ID += piece.ID
				at.Name += piece.Function.Name
				at.Arguments += piece.Function.Arguments
			}
		}
	}
	return r, s.Err()
}

func readResponse(ctx context.Context, stream string) (r reading, err error) {
	c := openai.NewClient(option.WithAPIKey("k"), option.WithBaseURL("http://replay/v1"), option.WithMaxRetries(0), option.WithHTTPClient(&http.Client{Transport: replay(stream)}))
	s := c.Responses.NewStreaming(ctx, responses.ResponseNewParams{Model: "m"})
	for s.Next() {
		switch ev := s.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			r.Text += ev.Delta
		case responses.ResponseCompletedEvent:
			r.response(ev.Response, "completed")
		case responses.ResponseIncompleteEvent:
			r.response(ev.Response, ev.Response.IncompleteDetails.Reason)
		}
	}
	return r, s.Err()
}

func (r *reading) response(resp responses.Response, word string) {
	r.Finish = word
	for _, item := range resp.Output {
		if f, ok := item.AsAny().(responses.ResponseFunctionToolCall); ok {
			r.Calls = append(r.Calls, call{f.CallID, f.Name, f.Arguments})
			if word == "completed" {
				r.Finish = "tool_calls"
			}
		}
	}
	u := resp.Usage
	r.Usage = &usage{InputTokens: u.InputTokens, CachedInputTokens: u.InputTokensDetails.CachedTokens, OutputTokens: u.OutputTokens, ReasoningTokens: u.OutputTokensDetails.ReasoningTokens}
}

func readMessages(ctx context.Context, stream string) (r reading, err error) {
	c := anthropic.NewClient(anthropicoption.WithAPIKey("k"), anthropicoption.WithBaseURL("http://replay"), anthropicoption.WithMaxRetries(0), anthropicoption.WithHTTPClient(&http.Client{Transport: replay(stream)}))
	s := c.Messages.NewStreaming(ctx, anthropic.MessageNewParams{Model: "m", MaxTokens: 1, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("x"))}})
	var m anthropic.Message
	for s.Next() {
		if err := m.Accumulate(s.Current()); err != nil {
			return r, err
		}
	}
	for _, b := range m.Content {
		switch b := b.AsAny().(type) {
		case anthropic.TextBlock:
			r.Text += b.Text
		case anthropic.ToolUseBlock:
			r.Calls = append(r.Calls, call{b.ID, b.Name, string(b.Input)})
		}
	}
	r.Finish = string(m.StopReason)
	u := m.Usage
	r.Usage = &usage{
		InputTokens: u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens, CachedInputTokens: u.CacheReadInputTokens, CacheWriteTokens: u.CacheCreationInputTokens,
		OutputTokens: u.OutputTokens, ReasoningTokens: u.OutputTokensDetails.ThinkingTokens,
	}
	return r, s.Err()
}

func readGemini(ctx context.Context, stream string) (r reading, err error) {
	c, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: "k", Backend: genai.BackendGeminiAPI, HTTPClient: &http.Client{Transport: replay(stream)}})
	if err != nil {
		return r, err
	}
	for resp, err := range c.Models.GenerateContentStream(ctx, "m", genai.Text("x"), nil) {
		if err != nil {
			return r, err
		}
		if u := resp.UsageMetadata; u != nil {
			r.Usage = &usage{InputTokens: int64(u.PromptTokenCount), CachedInputTokens: int64(u.CachedContentTokenCount), OutputTokens: int64(u.CandidatesTokenCount + u.ThoughtsTokenCount), ReasoningTokens: int64(u.ThoughtsTokenCount)}
		}
		for _, candidate := range resp.Candidates {
			if candidate.FinishReason != "" {
				r.Finish = string(candidate.FinishReason)
			}
			if candidate.Content == nil {
				continue
			}
			for _, p := range candidate.Content.Parts {
				switch {
				case p.FunctionCall != nil:
					raw, err := json.Marshal(p.FunctionCall.Args)
					if err != nil {
						return r, err
					}
					r.Calls = append(r.Calls, call{p.FunctionCall.ID, p.FunctionCall.Name, string(raw)})
				case !p.Thought:
					r.Text += p.Text
				}
			}
		}
	}
	if len(r.Calls) > 0 && r.Finish == "STOP" {
		r.Finish = "tool_calls"
	}
	return r, nil
}
