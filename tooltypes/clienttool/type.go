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
	// Rendered is set for calls that the client only draws: the call is streamed and ends at once.
	Rendered bool
}

// Type returns the type "client" of tools.json. question returns the function that words what
// the caller of an entry is asked for; the entry is nil if it has been removed. question may be
// nil if no tool is made.
func Type(question func(entry *config.Tool) func(call tools.Call) string) config.ToolType {
	return config.ToolType{
		Name: "client", About: "the caller runs it and sends the result.", AsksUser: true,
		Keys: func() (any, config.Item) {
			o := &Options{}
			return o, config.Item{Keys: o.keys()}
		},
		Check: func(_ config.Value, t *config.Tool) {
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

func (o *Options) keys() []config.Key {
	resolve := "client"
	return []config.Key{
		config.Word("resolve", &resolve, "way to end a call", []string{"client", Rendered}, "how a call ends: `client`: with the result that the caller sends; `rendered`, for [tools that only draw](tools/client.md#tools-that-only-draw): at once").
			Then(func(config.Value) { o.Rendered = resolve == Rendered }),
	}
}

// drawn is a tool whose calls clients only draw, without sending a result.
type drawn struct{}

var _ tools.Repeater = drawn{}

// Run implements tools.Tool.
func (drawn) Run(context.Context, tools.Call) (tools.Outcome, error) {
	return tools.Outcome{Result: Rendered}, nil
}

// Repeatable implements tools.Repeater.
func (drawn) Repeatable(tools.Call) bool { return true }
