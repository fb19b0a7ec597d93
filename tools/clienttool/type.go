package clienttool

import (
	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
)

// Type is the type "client" of tools.json. question words what is asked of the caller, for
// an entry and, where the entry is gone, for nil; where no tool is made it may be nil.
func Type(question func(entry *config.Tool) func(call tools.Call) string) config.ToolType {
	return config.ToolType{
		Name: "client", About: "the caller runs it and sends the result.", AsksUser: true,
		New: func(_ *config.App, entry *config.Tool) (tools.Tool, error) { return New(question(entry)), nil },
	}
}
