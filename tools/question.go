package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is the kind of a clarification.
type Kind string

// The kinds of clarifications: the model asks, the gateway asks before it runs a call, the
// caller runs a call.
const (
	KindQuestion Kind = "question"
	KindApproval Kind = "approval"
	KindInput    Kind = "input"
)

// The formats of a text, Part.Format.
const (
	FormatEmail    = "email"    // as in <input type=email>, but with letters of all scripts (RFC 6531)
	FormatURI      = "uri"      // an absolute URI (RFC 3986) or IRI (RFC 3987); web addresses need a host
	FormatPhone    = "phone"    // E.164 as people write it: with separators, a trunk 0, an extension
	FormatDuration = "duration" // ISO 8601, or 1h30m
)

// Question is a question of a tool, with one or more parts that are shown and answered together.
type Question struct {
	Kind  Kind   `json:"kind"`
	Parts []Part `json:"parts"`
	// MaxAnswer is the limit of a text answer, in code points, at the time of asking.
	MaxAnswer int `json:"maxAnswer,omitempty"`
	// Editable: the person who approves may change the call's arguments.
	Editable bool `json:"editable,omitempty"`
	// Remember is how long a yes also applies to later calls of the tool: "chat", or "" for this
	// call only.
	Remember string `json:"remember,omitempty"`
	// Rule is the index of the rule of needsApproval that asks, -1 if none fits; nil without rules.
	// Reason is what the rule tells people, in the chat's language.
	Rule   *int   `json:"rule,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Quorum is how many holders of the role For must allow the call; 0: one.
	Quorum int `json:"quorum,omitempty"`
	// Escalate are the steps after which holders of further roles may answer, too, in the order of their
	// times; only with For.
	Escalate []Escalation `json:"escalate,omitempty"`
	// Respond: the person may give a result in place of the call.
	Respond bool `json:"respond,omitempty"`
	// Definition identifies the tool of a call that waits for approval, at the time of asking:
	// its id, texts and parameters. Titles are the titles of the parameters. Unknown are the
	// names of the call's arguments that the parameters do not list.
	Definition string            `json:"definition,omitempty"`
	Titles     map[string]string `json:"titles,omitempty"`
	Unknown    []string          `json:"unknown,omitempty"`
	// Sources are the sources of options. Each part has at most one.
	Sources []OptionSource `json:"sources,omitempty"`
	// AskedBy is the asker, nil if not yet known.
	AskedBy *Asker `json:"askedBy,omitempty"`
	// Again: ask the question even if it has an answer already.
	Again bool `json:"again,omitempty"`
	// Values identify the values of templates, by part: "" for a part without values.
	Values []string `json:"values,omitempty"`
	// Waiting are the ids of calls in the same step that ask the same. They get the same result.
	Waiting []string `json:"waiting,omitempty"`
	// Unfounded are RFC 6901 pointers to arguments of the call that waits for approval that were
	// not said in the chat: the model made them up.
	Unfounded []string `json:"unfounded,omitempty"`
	// For is the role whose holders decide about the call, "" for the owner of the chat. It is
	// stored next to the question.
	For string `json:"-"`
	// Details is a text that the person has to read to its end before the only part, a confirm or
	// a choice with the values yes and no, accepts any answer but no. All its characters are
	// visible.
	Details string `json:"details,omitempty"`
	// Warning is a text that the person should read before answering.
	Warning string `json:"warning,omitempty"`
	// ExpiresIn is the maximum time that the question waits, 0 for the app's limit. The
	// resulting time is stored next to the question.
	ExpiresIn time.Duration `json:"-"`
	// Matches caches the results of patterns; nil: no cache.
	Matches Matches `json:"-"`
	// State is the data that the tool needs to continue. If it is set, the answer is not the result:
	// the call runs again, with the question in Call.Asked.
	State json.RawMessage `json:"state,omitempty"`
}

// OptionSource is the source of the options of a part: the tool named by a template of the
// asking tool, called with these arguments.
type OptionSource struct {
	Part      int    `json:"part"` // index
	Template  string `json:"template"`
	Arguments string `json:"arguments"` // a JSON object
	// Values are the values of the template as a JSON object, if its arguments have placeholders of
	// the caller: these are not stored, so the arguments are filled again for each call of the tool.
	Values string `json:"values,omitempty"`
}

// Source returns the source of the options of a part. ok is false if all options are in the
// question.
func (q Question) Source(part int) (s OptionSource, ok bool) {
	for _, s := range q.Sources {
		if s.Part == part {
			return s, true
		}
	}
	return s, false
}

// Matches caches the results of patterns. Matching may take seconds. Code that must not wait
// that long gets the results from Matches: Check and Read of a Resumer are called earlier,
// elsewhere, with an empty Matches. It is not safe for concurrent use.
type Matches map[Matched]string // the code of the fault, "" if the text matches

// Matched is a text that was matched against a pattern.
type Matched struct{ Pattern, Flags, Text string }

// HasPattern reports whether any part has a pattern.
func (q Question) HasPattern() bool {
	return slices.ContainsFunc(q.Parts, func(p Part) bool { return p.Validation != nil && p.Validation.Pattern != "" })
}

// GoesOn reports whether the call runs again after the question has ended in state.
func (q Question) GoesOn(state State) bool {
	return q.State != nil && (state == StateAnswered || state == StateSkipped || state == StateDeclined)
}

// AnswerTo returns the answer to one part of the question from a, the answer to all parts; nil
// if there is none.
func (q Question) AnswerTo(a *Answer, part int) *Answer {
	switch {
	case a == nil || a.Skipped || a.Declined || a.Deleted:
	case part < len(a.Answers):
		return &a.Answers[part]
	case len(q.Parts) == 1:
		return a
	}
	return nil
}

// Decides reports whether the question asks to allow something: its only part is a confirm, or
// a select with at least the values yes and no.
func (q Question) Decides() bool {
	return len(q.Parts) == 1 && (q.Parts[0].InputType == Confirm || q.Parts[0].InputType == Select && q.Parts[0].offers("yes") && q.Parts[0].offers("no"))
}

func (p *Part) offers(value string) bool {
	return slices.ContainsFunc(p.Options, func(o Option) bool { return o.Value == value })
}

// InputType returns the input type for metrics: that of the only part, "form" for several, and
// "input" if no person answers.
func (q Question) InputType() string {
	if q.Kind == KindInput {
		return string(KindInput)
	}
	if len(q.Parts) == 1 {
		return string(q.Parts[0].InputType)
	}
	return "form"
}

// Part is one question of a clarification. Its JSON is the wire form in the clarification
// event.
type Part struct {
	// ID identifies the part within its question, see IsPartID and Identify.
	ID string `json:"id"`
	// Key identifies what is asked, regardless of the words, in all chats. See IsKey.
	Key       string    `json:"key,omitempty"`
	Question  string    `json:"question"`
	Header    string    `json:"header,omitempty"`
	InputType InputType `json:"input_type"`
	Options   []Option  `json:"options,omitempty"`
	// OptionsTotal is the number of options at the time of asking, if Options has only the first
	// ones. The others are found by searching.
	OptionsTotal int         `json:"optionsTotal,omitempty"`
	Searchable   bool        `json:"searchable,omitempty"`
	AllowOther   bool        `json:"allow_other"`
	AllowSkip    bool        `json:"allow_skip"`
	Placeholder  string      `json:"placeholder,omitempty"`
	Validation   *Validation `json:"validation,omitempty"`
	Context      string      `json:"context,omitempty"`
	// Secret is the kind of secret that the part seems to ask for, if the reader should be
	// warned: password, pin, code, card, key, identity.
	Secret string `json:"secret,omitempty"`
	// Default is the suggested answer, in the form of value or values of an answer. It only
	// counts if the person sends it.
	Default json.RawMessage `json:"default,omitempty"`
	// Format is the format of a text, such as FormatEmail; "" for any.
	Format string `json:"format,omitempty"`
	// When is the condition for asking the part; nil: it is always asked.
	When *When `json:"when,omitempty"`
	// Link is a page that the person is asked to visit, http or https. The gateway never opens it.
	Link string `json:"link,omitempty"`
	// Kept: the answer is remembered beyond the chat, as KeptOffered or KeptUnasked.
	Kept string `json:"kept,omitempty"`
	// Earlier is the person's earlier answer to the same question, to send again with one click.
	Earlier *Earlier `json:"earlier,omitempty"`
	// Template is the name of the part's template, "" for none.
	Template string `json:"template,omitempty"`
	// Scale names the ends of a part of type Scale; nil: they have no names.
	Scale *ScaleEnds `json:"scale,omitempty"`
	// Accept and MaxBytes limit the files that answer a part of type File, see Accepts.
	Accept   []string `json:"accept,omitempty"`
	MaxBytes int64    `json:"maxBytes,omitempty"`
}

// Earlier is an earlier answer that is still valid for a part.
type Earlier struct {
	Value  json.RawMessage `json:"value,omitempty"`  // as in Answer
	Values []string        `json:"values,omitempty"` // as in Answer
	Other  string          `json:"other,omitempty"`  // as in Answer
	// Label is the answer as a person reads it; for a text, its beginning.
	Label      string `json:"label"`
	AnsweredAt Time   `json:"answeredAt"`
	// Memory: the answer is remembered of the person, not from this chat.
	Memory bool `json:"memory,omitempty"`
}

// The values of Part.Kept: the answer is offered in later chats, or may also be used there
// without asking if the person allows it (Answer.DontAskAgain).
const (
	KeptOffered = "offered"
	KeptUnasked = "unasked"
)

// Option is one choice of a part.
type Option struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Recommended bool   `json:"recommended,omitempty"`
	// Preview is a preview of the option, in Markdown.
	Preview string `json:"preview,omitempty"`
}

// Validation restricts the valid answers.
type Validation struct {
	Pattern string  `json:"pattern,omitempty"`
	Flags   *string `json:"flags,omitempty"` // "u" or "" if Pattern is set, else nil
	Min     *Bound  `json:"min,omitempty"`
	Max     *Bound  `json:"max,omitempty"`
	Integer bool    `json:"integer,omitempty"`
	Message string  `json:"message,omitempty"`
}

// ScaleEnds has the names of the ends of a scale, "" for an end without a name.
type ScaleEnds struct {
	Low  string `json:"low,omitempty"`  // of 1
	High string `json:"high,omitempty"` // of Validation.Max
}

// Ends returns the names of the ends of a scale on one line each, "" if they have none.
func (p *Part) Ends() string {
	if p.Scale == nil {
		return ""
	}
	var lines []string
	if p.Scale.Low != "" {
		lines = append(lines, "1: "+p.Scale.Low)
	}
	if p.Scale.High != "" && p.Validation != nil && p.Validation.Max != nil {
		lines = append(lines, fmt.Sprintf("%.0f: %s", p.Validation.Max.Number, p.Scale.High))
	}
	return strings.Join(lines, "\n")
}

// Bound is one end of a range: a finite number, or, where Date is set, an ISO date or an RFC 3339
// time.
type Bound struct {
	Number float64
	Date   string
}

// MarshalJSON writes a date as a string, otherwise a number.
func (b Bound) MarshalJSON() ([]byte, error) {
	if b.Date != "" {
		return json.Marshal(b.Date)
	}
	return json.Marshal(b.Number)
}

// UnmarshalJSON reads a number or a string.
func (b *Bound) UnmarshalJSON(data []byte) error {
	*b = Bound{}
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &b.Date)
	}
	return json.Unmarshal(data, &b.Number)
}
