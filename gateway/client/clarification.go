package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/askgate/askgate/tools"
)

// Clarification is a stored question with its state and, later, its answer.
type Clarification struct {
	ID            string       `json:"clarificationId"`
	App           string       `json:"app"`
	ChatID        string       `json:"chatId"`
	Kind          tools.Kind   `json:"kind"`
	ToolName      string       `json:"toolName"`      // the call that waits: of an approval or input
	ArgumentsText string       `json:"argumentsText"` // its arguments for people to read: of an approval
	Digest        string       `json:"digest"`        // of an approval: what its answer sends back
	AskedBy       *tools.Asker `json:"askedBy"`
	WaitsFor      *struct {
		Role string `json:"role"`
	} `json:"waitsFor"` // nil: the owner of the chat
	// AlsoAsks are the roles whose holders may answer, too, since the question was escalated.
	AlsoAsks []struct {
		Role string    `json:"role"`
		At   time.Time `json:"at"`
	} `json:"alsoAsks"`
	Questions  []tools.Part  `json:"questions"`
	Timestamp  time.Time     `json:"timestamp"`
	ExpiresAt  *time.Time    `json:"expiresAt"`
	State      tools.State   `json:"state"`
	Answer     *tools.Answer `json:"answer"`
	AnsweredAt *time.Time    `json:"answeredAt"`
	AnsweredBy *struct {
		Subject string `json:"subject"`
		Channel string `json:"channel"`
	} `json:"answeredBy"`
	// AskerWaiting says whether the asker of a pending question waits for its end, or did within the last
	// minute; nil if it never has.
	AskerWaiting *bool `json:"askerWaiting"`
	// NotTold are the ids of the channels that could tell no one of a pending question.
	NotTold []string `json:"notTold"`

	Quorum    int        `json:"quorum"`    // how many people must allow the call; 0: one
	Decisions []Decision `json:"decisions"` // so far, of those people
	// JSON is all that the gateway said of it.
	JSON json.RawMessage `json:"-"`
}

// Decision is one person's, of several who must allow a call.
type Decision struct {
	By    string    `json:"by"` // the person: a subject
	At    time.Time `json:"at"`
	Value bool      `json:"value"` // whether the person allowed the call
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Clarification) UnmarshalJSON(data []byte) error {
	type plain Clarification
	*c = Clarification{}
	if err := json.Unmarshal(data, (*plain)(c)); err != nil {
		return err
	}
	c.JSON = append(c.JSON, data...)
	return nil
}

// Value is the answer to one of the questions.
type Value struct {
	ID string // of the question
	// Values are the chosen options' values, yes or no, a number's digits, a date as
	// YYYY-MM-DD, or a text as typed; none if the question was skipped.
	Values []string
}

// Values are the answers, one for each question and in their order; nil unless there is one.
func (c *Clarification) Values() []Value {
	if c.Answer == nil {
		return nil
	}
	if c.Kind == tools.KindInput {
		if c.Answer.Result == nil {
			return []Value{{Values: []string{c.Answer.Error}}}
		}
		return []Value{{Values: []string{string(c.Answer.Result)}}}
	}
	values := make([]Value, len(c.Questions))
	for i, q := range c.Questions {
		values[i].ID = q.ID
		switch {
		case i < len(c.Answer.Answers):
			values[i].Values = valuesOf(&c.Answer.Answers[i])
		case len(c.Questions) == 1:
			values[i].Values = valuesOf(c.Answer)
		}
	}
	return values
}

func valuesOf(a *tools.Answer) []string {
	var list []string
	if a.Value != nil {
		text := string(a.Value)
		_ = json.Unmarshal(a.Value, &text) // a number stays as its digits
		list = append(list, text)
	}
	list = append(list, a.Values...)
	if a.Other != "" {
		list = append(list, a.Other)
	}
	return list
}

// Get is the clarification as it is now. The caller asked it, or is asked by it; else it is
// not there for it (*Problem with 404).
func (c *Client) Get(ctx context.Context, id string) (*Clarification, error) {
	var got Clarification
	return &got, c.retry(ctx, c.options.Patience, request{method: http.MethodGet, path: at(id), answer: &got})
}

// at is the path of a clarification.
func at(id string) string { return "/v1/clarifications/" + url.PathEscape(id) }

const (
	waiting = 55 * time.Second // of one request: less than the idle limit of proxies
	slack   = 30 * time.Second // for what is lost without a sign
)

// Wait waits until the clarification is closed, through lost connections and restarts, for as
// long as ctx lets it. Its error is ctx's, or the gateway's refusal.
func (c *Client) Wait(ctx context.Context, id string) (*Clarification, error) {
	pause := pauses()
	for {
		var got Clarification
		began := time.Now()
		err := c.retry(ctx, 0, request{
			method: http.MethodGet, path: at(id), answer: &got, time: waiting + slack,
			query: url.Values{"wait": {strconv.Itoa(int(waiting.Seconds()))}},
		})
		switch {
		case err != nil:
			return nil, err
		case got.State != tools.StatePending:
			return &got, nil
		case time.Since(began) >= waiting/2:
			pause.Reset()
			continue
		}
		if err := sleep(ctx, pause.NextBackOff()); err != nil { // a node that stops ends waits early
			return nil, err
		}
	}
}

// Pending are the questions that wait for the caller, over all chats.
func (c *Client) Pending(ctx context.Context) ([]Clarification, error) {
	return all[Clarification](ctx, c, "/v1/clarifications", url.Values{"status": {"pending"}})
}

// Answer closes a clarification. answer has the form of the "answer" of a message.
func (c *Client) Answer(ctx context.Context, id string, answer json.RawMessage) (*Clarification, error) {
	var got Clarification
	return &got, c.change(ctx, id, "/answer", answer, &got)
}

// DeleteAnswer deletes the answer that the caller gave, wherever it stands. It is tried again like a
// call that reads, because deleting twice is deleting once.
func (c *Client) DeleteAnswer(ctx context.Context, id string) error {
	return c.retry(ctx, c.options.Patience, request{method: http.MethodDelete, path: at(id) + "/answer"})
}

// Cancel withdraws a question that the caller asked.
func (c *Client) Cancel(ctx context.Context, id string) (*Clarification, error) {
	var got Clarification
	return &got, c.change(ctx, id, "/cancel", nil, &got)
}

// Say puts a line of the caller's into the chat of a question that it asked.
func (c *Client) Say(ctx context.Context, id, message string) error {
	return c.change(ctx, id, "/messages", map[string]string{"message": message}, nil)
}

// change is tried again only where the call cannot have had its effect: a second answer
// would be refused for the first.
func (c *Client) change(ctx context.Context, id, what string, body, answer any) error {
	return c.until(ctx, c.options.Patience, func(ctx context.Context) error {
		err := c.once(ctx, request{method: http.MethodPost, path: at(id) + what, body: body, answer: answer})
		if err != nil && !unsent(err) && !refused(err) {
			return final{err}
		}
		return err
	})
}

// refused says that a gateway answered, and did nothing.
func refused(err error) bool {
	p, ok := err.(*Problem) //nolint:errorlint // never wrapped
	return ok && p.Code != ""
}
