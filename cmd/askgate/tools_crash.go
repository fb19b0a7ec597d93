//go:build crashpoints

package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// witness stands in for the clock in the tests of what survives a crash: it must not
// run twice, and each of its runs leaves a line in the file that ASKGATE_WITNESS names.
type witness struct{}

func instrument(factories toolexec.Factories) toolexec.Factories {
	factories["clock"] = func(*config.App, *config.Tool) (tools.Tool, error) { return witness{}, nil }
	return factories
}

func (witness) Definition() (string, json.RawMessage) {
	return "Writes a line.", json.RawMessage(`{"type":"object","properties":{"line":{"type":"string"}},"required":["line"]}`)
}

func (witness) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	var arguments struct {
		Line string `json:"line"`
	}
	if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil {
		return tools.Outcome{}, err
	}
	file, err := os.OpenFile(os.Getenv("ASKGATE_WITNESS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return tools.Outcome{}, err
	}
	defer file.Close()
	if _, err := file.WriteString(arguments.Line + "\n"); err != nil {
		return tools.Outcome{}, err
	}
	return tools.Outcome{Result: "written: " + arguments.Line}, nil
}
