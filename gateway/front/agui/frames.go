package agui

import (
	"encoding/json"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
)

// These frames are written whole. Clients crash on null, so absent fields are left out.

type runStarted struct {
	Type            string `json:"type"`
	ThreadID        string `json:"threadId"`
	RunID           string `json:"runId"`
	ProtocolVersion string `json:"protocolVersion,omitempty"`
}

type runFinished struct {
	Type     string   `json:"type"`
	ThreadID string   `json:"threadId"`
	RunID    string   `json:"runId"`
	Result   *result  `json:"result,omitempty"`
	Outcome  *outcome `json:"outcome,omitempty"`
	Usage    []usage  `json:"usage,omitempty"`
}

// result says how a run ended, unless it simply ended.
type result struct {
	FinishReason chat.FinishReason `json:"finishReason"`
}

type outcome struct {
	Type       string      `json:"type"`
	Interrupts []interrupt `json:"interrupts,omitempty"`
}

type usage struct {
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
	TotalTokens  int64 `json:"totalTokens"`
}

type runError struct {
	Type    string  `json:"type"`
	Message string  `json:"message"`
	Code    string  `json:"code,omitempty"`
	Usage   []usage `json:"usage,omitempty"`
}

type toolCallStart struct {
	Type            string `json:"type"`
	ToolCallID      string `json:"toolCallId"`
	ToolCallName    string `json:"toolCallName"`
	ParentMessageID string `json:"parentMessageId"`
}

type toolCallArgs struct {
	Type       string `json:"type"`
	ToolCallID string `json:"toolCallId"`
	Delta      string `json:"delta"`
}

type toolCallEnd struct {
	Type       string `json:"type"`
	ToolCallID string `json:"toolCallId"`
}

type toolCallResult struct {
	Type       string `json:"type"`
	MessageID  string `json:"messageId"`
	ToolCallID string `json:"toolCallId"`
	Content    string `json:"content"`
	Role       string `json:"role"`
}

// custom is an event that the format leaves to applications.
type custom struct {
	Type  string         `json:"type"`
	Name  string         `json:"name"`
	Value front.Progress `json:"value"`
}

type interrupt struct {
	ID             string          `json:"id"`
	Reason         string          `json:"reason"`
	Message        string          `json:"message"`
	ToolCallID     string          `json:"toolCallId"`
	ResponseSchema json.RawMessage `json:"responseSchema"`
	ExpiresAt      *chat.Time      `json:"expiresAt,omitempty"`
	Metadata       metadata        `json:"metadata"`
}

// metadata has what a client needs to draw an interrupt as the gateway's own card does.
type metadata struct {
	ClarificationID string          `json:"clarificationId"`
	Kind            string          `json:"kind"`
	Questions       json.RawMessage `json:"questions"`
	ToolName        string          `json:"toolName,omitempty"`
	Arguments       json.RawMessage `json:"arguments,omitempty"`
	ArgumentsText   string          `json:"argumentsText,omitempty"`
	Warning         string          `json:"warning,omitempty"`
}

// newInterrupt returns a question as an interrupt. call is the stream's tool call that it is
// about.
func newInterrupt(a chat.Asked, q front.Question, approval bool) interrupt {
	var input struct{ Questions json.RawMessage }
	_ = json.Unmarshal(q.Input, &input) // it is the gateway's own
	i := interrupt{
		ID: q.ID, Reason: "input_required", ToolCallID: q.ID, Message: asked(a), ResponseSchema: answersSchema(a.Questions),
		Metadata: metadata{
			ClarificationID: a.ClarificationID, Kind: string(a.Kind), Questions: input.Questions,
			ToolName: a.ToolName, Arguments: a.Arguments, ArgumentsText: a.ArgumentsText, Warning: a.Warning,
		},
	}
	if a.ExpiresAt != nil {
		at := chat.Time(time.Time(*a.ExpiresAt))
		i.ExpiresAt = &at
	}
	if approval {
		i.Reason, i.ToolCallID, i.ResponseSchema = "tool_call", a.ToolCallID, approvalSchema
	}
	return i
}

// asked returns a question as one text.
func asked(a chat.Asked) string {
	s := ""
	for i := range a.Questions {
		if i > 0 {
			s += "\n"
		}
		s += a.Questions[i].Question
	}
	return s
}

// appendFrame appends an event.
func appendFrame(dst []byte, event any) []byte {
	data, _ := json.Marshal(event) // wire types can always be written
	dst = append(dst, "data: "...)
	dst = append(dst, data...)
	return append(dst, "\n\n"...)
}
