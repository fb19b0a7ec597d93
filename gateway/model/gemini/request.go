package gemini

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/adapt"
	"github.com/askgate/askgate/gateway/model/toolschema"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
)

type (
	// wireRequest is the request on the wire, except for its contents. These are its last member, so
	// that a chat's next request begins with the bytes of this one.
	wireRequest struct {
		Config *wireConfig `json:"generationConfig,omitempty"`
		Tools  []wireTools `json:"tools,omitempty"`
		System *wireSystem `json:"systemInstruction,omitempty"`
	}
	wireSystem struct {
		Parts []wirePart `json:"parts"`
	}
	wireConfig struct {
		Temperature *float64      `json:"temperature,omitempty"`
		MaxTokens   int           `json:"maxOutputTokens,omitempty"`
		Thinking    *wireThinking `json:"thinkingConfig,omitempty"`
	}
	wireThinking struct {
		Level  string `json:"thinkingLevel,omitempty"`
		Budget *int   `json:"thinkingBudget,omitempty"`
		Show   bool   `json:"includeThoughts,omitempty"`
	}
	wireTools struct {
		Declarations []wireTool `json:"functionDeclarations"`
	}
	wireTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
)

const (
	// maxToolName is the limit of older versions of the API in bytes; newer ones accept 128.
	maxToolName = 64
)

// encode writes the body of a request, and describes it.
func (c *Client) encode(req model.Request, set *adapt.Set) ([]byte, adapt.Sent, error) {
	sent := adapt.Sent{Body: c.o.Body, Effort: c.o.Effort}
	w := wireRequest{Config: c.config(req, set, &sent)}
	var err error
	if w.Tools, err = c.offered(req.Tools, set, &sent); err != nil {
		return nil, sent, err
	}
	history := c.contents(req.Messages, set)
	if !tools.Blank(req.System) {
		system := wirePart{Text: req.System}
		if c.kind.system {
			w.System = &wireSystem{[]wirePart{system}}
		} else {
			history = before(history, system)
		}
	}
	body, err := written(w, history)
	if err == nil {
		body, err = upstream.Merge(body, c.o.Body)
	}
	if err != nil {
		return nil, sent, &model.Error{Kind: model.KindError, Detail: "the request cannot be written as JSON", Err: err}
	}
	return body, sent, nil
}

// written returns a request as JSON. Parts from the server keep their bytes, including white space,
// which encoding/json would remove.
func written(w wireRequest, history []wireContent) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // escaping only makes the body longer
	write := func(v any) error {
		if raw, is := v.(json.RawMessage); is {
			b.Write(raw)
			return nil
		}
		if err := e.Encode(v); err != nil {
			return err
		}
		b.Truncate(b.Len() - len("\n"))
		return nil
	}
	if err := write(w); err != nil {
		return nil, err
	}
	b.Truncate(b.Len() - len("}"))
	if b.Len() > len("{") {
		b.WriteByte(',')
	}
	b.WriteString(`"contents":[`)
	for i, c := range history {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"role":"` + c.Role + `","parts":`)
		for j, part := range c.Parts {
			b.WriteByte("[,"[min(j, 1)])
			if err := write(part); err != nil {
				return nil, err
			}
		}
		b.WriteString("]}")
	}
	b.WriteString("]}")
	return b.Bytes(), nil
}

// config returns the request's generationConfig, or nil if it is empty.
func (c *Client) config(req model.Request, set *adapt.Set, sent *adapt.Sent) *wireConfig {
	w := wireConfig{Temperature: c.o.Temperature, MaxTokens: c.o.MaxTokens, Thinking: c.thinking(set)}
	if req.Temperature != nil {
		w.Temperature = req.Temperature
	}
	if w.Temperature != nil && set.Without("temperature") {
		w.Temperature = nil
	} else if w.Temperature != nil {
		sent.Fields = append(sent.Fields, "temperature")
		changed(set, "temperature", &w.Temperature)
	}
	if set.Without("max_tokens") {
		w.MaxTokens = 0
	}
	if w.MaxTokens > 0 {
		sent.Fields = append(sent.Fields, "max_tokens")
		changed(set, "max_tokens", &w.MaxTokens)
	}
	if w.Thinking != nil {
		sent.Fields = append(sent.Fields, "thinking")
		if w.Thinking.Level != "" || w.Thinking.Budget != nil {
			sent.Fields = append(sent.Fields, "reasoning_effort")
		}
	}
	if w == (wireConfig{}) {
		return nil
	}
	return &w
}

// changed replaces our value with the one that the server accepts, if it has the same type.
func changed[T any](set *adapt.Set, field string, to *T) {
	if raw, given := set.Value(field); given {
		var v T
		if json.Unmarshal(raw, &v) == nil {
			*to = v
		}
	}
}

// budgets has the tokens of thinking for each effort, for models with a budget (Gemini 2.5 accepts up
// to 24,576). If the answer has a limit, the budget is at most half of it.
var budgets = map[string]int{"none": 0, "minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 24576, "max": 24576}

const minBudget = 1024

// levels has the API's levels for efforts with a different name. The levels are minimal to high.
var levels = map[string]string{"none": "minimal", "xhigh": "high", "max": "high"}

// thinking returns the thinkingConfig for the effort. Without an effort, the server's default applies.
func (c *Client) thinking(set *adapt.Set) *wireThinking {
	effort := c.o.Effort
	if effort == "" || set.Without("thinking") {
		return nil
	}
	w := wireThinking{Show: c.o.Show}
	changed(set, "reasoning_effort", &effort)
	switch level, other := levels[effort]; {
	case set.Without("reasoning_effort"):
	case c.kind.budget:
		n, known := budgets[effort]
		if n > 0 && c.o.MaxTokens > 0 {
			n = max(minBudget, min(n, c.o.MaxTokens/2))
		}
		if known {
			w.Budget = &n
			w.Show = w.Show && n > 0
		}
	case other:
		w.Level = level
	default:
		w.Level = effort
	}
	if w == (wireThinking{}) {
		return nil
	}
	return &w
}

// offered returns the tools in the API's form.
func (c *Client) offered(list []model.Definition, set *adapt.Set, sent *adapt.Sent) ([]wireTools, error) {
	offered, err := c.learned.Offer(list, toolschema.Gemini, validName, set, sent)
	if len(offered) == 0 {
		return nil, err
	}
	all := make([]wireTool, len(offered))
	for i, d := range offered {
		all[i] = wireTool{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
	}
	return []wireTools{{all}}, nil
}

// validName returns a function's name that the API accepts: name itself, or one derived from it, which
// is always the same.
func validName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || letter(r) {
			return r
		}
		return '_'
	}, name)
	if plain == "" || plain[0] != '_' && !letter(rune(plain[0])) {
		plain = "_" + plain
	}
	if plain == name && len(name) <= maxToolName {
		return name
	}
	sum := sha256.Sum256([]byte(name)) // distinguishes names that differ only in replaced characters
	mark := hex.EncodeToString(sum[:8])
	return plain[:min(len(plain), maxToolName-len(mark)-1)] + "_" + mark
}

func letter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' && r < 0x80 }

// ownName returns the name of the tool whose validName is name.
func ownName(list []model.Definition, name string) string {
	i := slices.IndexFunc(list, func(t model.Definition) bool { return t.Name != name && validName(t.Name) == name })
	if i < 0 {
		return name
	}
	return list[i].Name
}
