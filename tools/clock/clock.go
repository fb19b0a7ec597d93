// Package clock has a built-in tool that tells the model the date and time. The time zone
// database is in the binary, so that the tool also works in an empty container image.
package clock

import (
	"context"
	"encoding/json"
	"time"
	_ "time/tzdata" // for systems without a time zone database

	"github.com/askgate/askgate/tools"
)

// maxZone is the maximum length of a zone's name in bytes. The longest real one has 32.
const maxZone = 64

// Tool is the clock. It has no state.
type Tool struct{}

var (
	_ tools.Tool      = Tool{}
	_ tools.Describer = Tool{}
)

// Definition implements tools.Describer.
func (Tool) Definition() (string, json.RawMessage) {
	return "Get the current date, time and weekday, in UTC or another time zone.",
		json.RawMessage(`{"type":"object","properties":{"timezone":{"type":"string","description":"IANA name, e.g. Europe/Berlin; default UTC","maxLength":64}},"additionalProperties":false}`)
}

// Repeatable implements tools.Repeater. A call changes nothing.
func (Tool) Repeatable(tools.Call) bool { return true }

// Run implements tools.Tool.
func (Tool) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	var arguments struct {
		Timezone string `json:"timezone"`
	}
	if call.Arguments != "" {
		if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil {
			return refuse("arguments must be a JSON object with an optional timezone")
		}
	}
	if len(arguments.Timezone) > maxZone || arguments.Timezone == "Local" { // do not reveal the server's own time zone
		return refuse("no such time zone: use an IANA name such as Europe/Berlin, or leave it out for UTC")
	}
	zone, err := time.LoadLocation(arguments.Timezone)
	if err != nil {
		return refuse("no such time zone: use an IANA name such as Europe/Berlin, or leave it out for UTC")
	}
	return tools.Outcome{Result: time.Now().In(zone).Format("Monday, 2006-01-02T15:04:05Z07:00")}, nil
}

func refuse(message string) (tools.Outcome, error) {
	return tools.Outcome{}, &tools.Error{Code: tools.CodeInvalidArguments, Message: message}
}
