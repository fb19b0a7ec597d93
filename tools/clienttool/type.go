package clienttool

import (
	"context"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
)

// Rendered is the result of a tool that only draws.
const Rendered = "rendered"

// Options are the keys of an entry.
type Options struct {
	// Rendered: the client draws what the call says. It is told, and closed at once.
	Rendered bool
}

var schema = []byte(`{
  "description": "Keys of type client.",
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "resolve": {"description": "How a call ends: with what the caller sends, or, of a tool that only draws, at once, with the result rendered.", "enum": ["client", "rendered"], "default": "client"}
  }
}`)

// Type is the type "client" of tools.json. question words what is asked of the caller, for
// an entry and, where the entry is gone, for nil; where no tool is made it may be nil.
func Type(question func(entry *config.Tool) func(call tools.Call) string) config.ToolType {
	return config.ToolType{
		Name: "client", About: "the caller runs it and sends the result.", AsksUser: true,
		Schema: schema, Read: func(n config.Node) any { return read(n) },
		Check: func(_ config.Node, t *config.Tool) {
			if t.Own.(*Options).Rendered {
				t.RequiresUserInput = false
			}
		},
		New: func(_ *config.App, entry *config.Tool) (tools.Tool, error) {
			if entry != nil {
				if o, ok := entry.Own.(*Options); ok && o.Rendered {
					return drawn{}, nil
				}
			}
			return New(question(entry)), nil
		},
	}
}

func read(n config.Node) *Options {
	resolve := "client"
	n.Object(config.Keys{"resolve": func(n config.Node) { n.OneOf(&resolve, "way to end a call", "client", Rendered) }}, nil)
	return &Options{Rendered: resolve == Rendered}
}

// drawn is a tool whose calls are for clients to draw: nothing comes back.
type drawn struct{}

var _ tools.Repeater = drawn{}

// Run implements tools.Tool.
func (drawn) Run(context.Context, tools.Call) (tools.Outcome, error) {
	return tools.Outcome{Result: Rendered}, nil
}

// Repeatable implements tools.Repeater.
func (drawn) Repeatable(tools.Call) bool { return true }
