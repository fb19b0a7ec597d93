package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/askgate/askgate/tools"
)

// Asking is what to ask, and whom.
type Asking struct {
	To     string // the subject who is asked; "" with no ToRole: the caller
	ToRole string // instead of To: all holders of the role
	By     tools.Asker
	ChatID string // "": one of the asker's own
	// ExpiresIn is how long it waits at most, such as 30m or 2d; "" as long as the app lets it.
	ExpiresIn string
	// WithdrawWhenGone is how long no one may wait for the answer until the question is withdrawn, from
	// 10s to 30d; "": it is never withdrawn.
	WithdrawWhenGone string
	// Escalate says whose holders may answer, too, and from when on; only with ToRole.
	Escalate []Escalation
	// Key is the idempotency key: the same question with the same key is the same
	// clarification, for 24 hours. "" is a random one, so that a call is never stored twice.
	Key string
	// Details is a text of up to 256 KiB that has to be read to its end before the only question,
	// a confirm or a choice with the values yes and no, takes anything but no.
	Details string

	Questions []Question
	// Arguments is an object as a model calls ask_user with, or a whole body of the call. What
	// the other fields say wins over its own.
	Arguments json.RawMessage
}

// Escalation is a step: some time after the question, the holders of another role may answer, too.
type Escalation struct {
	After string `json:"after"` // such as 1d, from 1s to 365d and longer than that of the step before
	To    Role   `json:"to"`
}

// Role stands for all who hold it.
type Role struct {
	Role string `json:"role"`
}

// Question is one question. What is left out is the gateway's to choose: a question with
// options is a select, another one a text.
type Question struct {
	ID          string            `json:"id,omitempty"`
	Key         string            `json:"key,omitempty"` // what is asked, the same whenever it is
	Question    string            `json:"question"`
	Header      string            `json:"header,omitempty"`
	InputType   tools.InputType   `json:"input_type,omitempty"`
	Options     []Option          `json:"options,omitempty"`
	AllowOther  bool              `json:"allow_other,omitempty"`
	AllowSkip   bool              `json:"allow_skip,omitempty"`
	Placeholder string            `json:"placeholder,omitempty"`
	Context     string            `json:"context,omitempty"`
	Validation  *tools.Validation `json:"validation,omitempty"`
	Scale       *tools.ScaleEnds  `json:"scale,omitempty"`   // names of the ends of a scale
	Format      string            `json:"format,omitempty"`  // of a text: tools.FormatEmail and the others
	Default     any               `json:"default,omitempty"` // what an answer would be; offered
	When        *tools.When       `json:"when,omitempty"`    // on which earlier answer it hangs
}

// Option is one choice; its value is by default its label.
type Option struct {
	Label       string `json:"label"`
	Value       string `json:"value,omitempty"`
	Description string `json:"description,omitempty"`
	Recommended bool   `json:"recommended,omitempty"`
	Preview     string `json:"preview,omitempty"` // Markdown
}

// Ask stores a question in an app, once, and returns it; Wait waits for its answer.
func (c *Client) Ask(ctx context.Context, app string, a Asking) (*Clarification, error) {
	body, err := a.Body()
	if err != nil {
		return nil, err
	}
	var asked Clarification
	err = c.retry(ctx, c.options.Patience, request{
		method: http.MethodPost, path: "/v1/apps/" + url.PathEscape(app) + "/clarifications", body: body, answer: &asked,
	})
	return &asked, err
}

// Body is the body of the call that asks. The error is about Arguments.
func (a *Asking) Body() (map[string]any, error) {
	body := map[string]any{}
	if a.Arguments != nil {
		var given map[string]json.RawMessage
		if err := json.Unmarshal(a.Arguments, &given); err != nil || given == nil {
			return nil, fmt.Errorf("the question is not a JSON object: %w", err)
		}
		for name, v := range given {
			body[name] = v
		}
	}
	set := func(name string, v any, there bool) {
		if there {
			body[name] = v
		}
	}
	set("questions", a.Questions, len(a.Questions) > 0)
	set("details", a.Details, a.Details != "")
	set("to", a.To, a.To != "")
	set("to", map[string]string{"role": a.ToRole}, a.ToRole != "")
	by := map[string]string{}
	for name, text := range map[string]string{"name": a.By.Name, "title": a.By.Title} {
		if text != "" {
			by[name] = text
		}
	}
	set("askedBy", by, len(by) > 0)
	set("chatId", a.ChatID, a.ChatID != "")
	set("expiresIn", a.ExpiresIn, a.ExpiresIn != "")
	set("withdrawWhenGone", a.WithdrawWhenGone, a.WithdrawWhenGone != "")
	set("escalate", a.Escalate, len(a.Escalate) > 0)
	set("idempotencyKey", a.Key, a.Key != "")
	if body["idempotencyKey"] == nil {
		body["idempotencyKey"] = rand.Text()
	}
	return body, nil
}
