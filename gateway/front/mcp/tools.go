package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/tools"
)

// These tools are offered in addition to the app's templates.
const (
	toolAsk    = front.AskUser
	toolPerson = "ask_person" // ask_user for clients that hide tools of that name
	toolAnswer = "get_answer"
	toolNotify = "notify"
)

// hidesAskUser begins the names of clients that hide tools called ask_user, as Gemini CLI does
// without a terminal.
const hidesAskUser = "gemini-cli"

// asks returns the client's name for the tool that asks.
func (x *exchange) asks() string {
	if strings.HasPrefix(x.client.Name, hidesAskUser) {
		return toolPerson
	}
	return toolAsk
}

// named returns a text about the tool that asks, with the name that it has for this client.
func (x *exchange) named(text string) string { return strings.ReplaceAll(text, toolAsk, x.asks()) }

// called returns the tool that a call is for. The tool that asks can be called by each name that
// it has for some client, unless another tool has that name here.
func (x *exchange) called(name string) string {
	if (name == toolAsk || name == toolPerson) && !x.offered[name] {
		return x.asks()
	}
	return name
}

// These arguments are the gateway's own, in addition to those of a question.
const (
	argWait  = "wait"
	argTitle = "title"
	argTo    = "to"

	argWithdraw = "withdrawWhenGone"
	argEscalate = "escalate"
)

// maxLine is the maximum length of a line of notify, in code points.
const maxLine = 4000

// property is one of a tool's arguments in its JSON Schema.
type property struct {
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
	Minimum     *int   `json:"minimum,omitempty"`
	MinLength   int    `json:"minLength,omitempty"`
	MaxLength   int    `json:"maxLength,omitempty"`

	MaxItems int             `json:"maxItems,omitempty"`
	Items    json.RawMessage `json:"items,omitempty"`
}

func waitProperty() property {
	return property{Type: "integer", Minimum: new(int), Description: fmt.Sprintf(
		"How many seconds to wait for the answer before the result is pending: %d by default; at most %d, for clients that follow the progress of a call.", defaultWait, maxWait)}
}

func toProperty() property {
	return property{Type: "string", Description: `Who is asked, if not your own user: a person's id such as "alice", or a role such as "role:oncall".`}
}

func withdrawProperty() property {
	return property{Type: "string", Description: `Withdraws the question when no call has waited for its answer for that long, such as "10m": from "10s" to "30d".`}
}

func escalateProperty() property {
	return property{
		Type: "array", MaxItems: tools.MaxEscalations, Items: json.RawMessage(`{"type":"object","properties":{"after":{"type":"string"},"to":{"type":"string"}},"required":["after","to"]}`),
		Description: `Who else may answer if no one has by then, in a question to a role: [{"after": "1d", "to": "role:lead"}]; "after" counts from the question on, from "1s" to "365d", and grows.`,
	}
}

func titleProperty() property {
	return property{Type: "string", MaxLength: maxName, Description: `What this is about, shown next to your name, such as "CI #4711".`}
}

const (
	afterAsk = "\n\nThe result says how the question ended. If its status is \"pending\", no one has answered yet and the question stays open: continue with something else, " +
		"then call get_answer with its clarificationId."
	afterTemplate = "\n\nA prepared question to the user." + afterAsk
	aboutAnswer   = "Wait for the answer to a question that you asked before, by its clarificationId, and read how it ended. It works as long as the question is kept, also in another session."
	aboutNotify   = "Send the user a message, as a line in the chat that contains your questions. It needs no answer, and the call returns at once."
)

// result is the result of the tools that ask, as JSON Schema.
var resultSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"status":{"type":"string","enum":["answered","skipped","declined","expired","cancelled","superseded","pending"],"description":"How the question ended; pending: it has not."},` +
	`"clarificationId":{"type":"string","description":"For get_answer, while the status is pending."},` +
	`"answers":{"type":"object","description":"By the id of each question: the value, a list of values, or null where there is none."},` +
	`"text":{"type":"string","description":"The same in words."},` +
	`"note":{"type":"string","description":"Whose answer counts, where another screen was faster than this client's form."}},"required":["status"]}`)

// always asks clients that load tools on demand to load this one. A model that does not see that
// it can ask does not ask, and one that does not see how to get the answer asks again.
func always() sdk.Meta { return sdk.Meta{"anthropic/alwaysLoad": true} }

// addTools adds the tools that this caller may call.
func (x *exchange) addTools(s *sdk.Server) {
	offer := x.c.Offer()
	own := map[string]property{argWait: waitProperty(), argTitle: titleProperty(), argWithdraw: withdrawProperty()}
	if offer.Others {
		own[argTo], own[argEscalate] = toProperty(), escalateProperty()
	}
	x.add(s, &sdk.Tool{
		Meta: always(), Name: x.asks(), Description: x.named(offer.Description) + afterAsk,
		InputSchema: with(json.RawMessage(x.named(string(offer.Parameters))), own), OutputSchema: resultSchema,
		Annotations: &sdk.ToolAnnotations{OpenWorldHint: new(bool), DestructiveHint: new(bool)},
	}, x.ask)
	for _, t := range offer.Templates {
		if t.Name == toolAsk || t.Name == x.asks() || t.Name == toolAnswer || t.Name == toolNotify {
			continue // ask_user already has it by its name
		}
		x.add(s, &sdk.Tool{
			Meta: always(), Name: t.Name, Description: x.named(t.Description) + afterTemplate, InputSchema: templateSchema(t), OutputSchema: resultSchema,
			Annotations: &sdk.ToolAnnotations{OpenWorldHint: new(bool), DestructiveHint: new(bool)},
		}, x.askTemplate(t))
	}
	x.add(s, &sdk.Tool{
		Meta: always(), Name: toolAnswer, Description: aboutAnswer, OutputSchema: resultSchema, InputSchema: schema(map[string]property{
			"clarificationId": {Type: "string", MinLength: 1, Description: "From a result whose status was pending."}, argWait: waitProperty(),
		}, "clarificationId"),
		Annotations: &sdk.ToolAnnotations{OpenWorldHint: new(bool), ReadOnlyHint: true},
	}, x.getAnswer)
	line := map[string]property{"message": {Type: "string", MinLength: 1, MaxLength: maxLine, Description: "What to tell, as plain text."}}
	if offer.Others {
		line[argTo] = toProperty()
	}
	x.add(s, &sdk.Tool{
		Name: toolNotify, Description: aboutNotify, InputSchema: schema(line, "message"),
		Annotations: &sdk.ToolAnnotations{OpenWorldHint: new(bool), DestructiveHint: new(bool)},
	}, x.notify)
}

// add adds a tool. The SDK calls it on a goroutine of its own, where a panic would end the
// process; here, it is the failure of one call.
func (x *exchange) add(s *sdk.Server, t *sdk.Tool, run func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
	x.offered[t.Name] = true
	s.AddTool(t, func(ctx context.Context, req *sdk.CallToolRequest) (res *sdk.CallToolResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				res, err = x.refused(fmt.Errorf("panic: %v\n%s", p, debug.Stack())), nil
			}
		}()
		res, err = run(ctx, req)
		if err != nil {
			return x.refused(err), nil
		}
		return res, nil
	})
}

// templateSchema returns a schema with a template's placeholders, and wait, unless a placeholder
// has that name.
func templateSchema(t front.Template) json.RawMessage {
	own := map[string]property{argWait: waitProperty()}
	for _, v := range t.Values {
		own[v] = property{Type: "string", MinLength: 1, MaxLength: maxTemplateValue}
	}
	return schema(own, t.Values...)
}

// maxTemplateValue is the maximum length of a value for a placeholder, as in ask_user.
const maxTemplateValue = 200

func schema(properties map[string]property, required ...string) json.RawMessage {
	data, _ := json.Marshal(struct { // texts can be written
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required,omitempty"`
	}{"object", properties, required})
	return data
}

// with returns a schema with additional properties, or with these alone if it is not a schema.
func with(parameters json.RawMessage, more map[string]property) json.RawMessage {
	var members, properties map[string]json.RawMessage
	if json.Unmarshal(parameters, &members) != nil || members["properties"] != nil && json.Unmarshal(members["properties"], &properties) != nil {
		return schema(more)
	}
	if properties == nil {
		properties = map[string]json.RawMessage{}
	}
	for name, p := range more {
		properties[name], _ = json.Marshal(p)
	}
	members["type"] = json.RawMessage(`"object"`)
	members["properties"], _ = json.Marshal(properties)
	data, _ := json.Marshal(members) // it was JSON
	return data
}

// refused returns an error as a model reads it, in the form that all its tools use.
func (x *exchange) refused(err error) *sdk.CallToolResult {
	var e struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if fault, ok := asFault(err); ok {
		e.Error.Code, e.Error.Message = fault.Code, fault.Message
	} else {
		p := x.c.Problem(err)
		e.Error.Code, e.Error.Message = strings.ToUpper(string(p.Code)), p.Message
		if p.Code == chat.CodeClarificationLimit {
			e.Error.Code = tools.CodeLimitReached // the code that models know
		}
	}
	return &sdk.CallToolResult{Content: []sdk.Content{text(e)}, IsError: true}
}

// text returns a value as the text of a result.
func text(v any) *sdk.TextContent {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts can be written
	return &sdk.TextContent{Text: strings.TrimSuffix(b.String(), "\n")}
}

func notServed(method string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("method %q is not served here", tools.Shorten(method, maxName))}
}
