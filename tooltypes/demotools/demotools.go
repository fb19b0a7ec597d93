// Package demotools are tools for the demo model to call, so that its conversations show what
// tools can do without any server: projects that somebody may choose from, and a booking that
// books nothing. Both run inside the process, keep nothing, and come to the same result for
// the same call. Apps that another model answers do not have them.
package demotools

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
)

// The ids of the tools.
const (
	ProjectsID = "demo_projects"
	BookingID  = "demo_booking"
)

const maxDestination = 4000 // characters: as long as an answer may be by default

// Types are the tools, for the program that has them.
func Types() []config.ToolType {
	projects, booking := config.Builtin(ProjectsID, Projects{}), config.Builtin(BookingID, Booking{})
	projects.Demo, booking.Demo = true, true
	booking.NeedsApproval = true
	projects.Lists = func(*config.Tool, string) string { return "" }
	return []config.ToolType{projects, booking}
}

// Projects lists projects that do not exist, more than one question holds.
type Projects struct{}

var (
	_ tools.Tool      = Projects{}
	_ tools.Describer = Projects{}
)

// Definition implements tools.Describer.
func (Projects) Definition() (string, json.RawMessage) {
	return "Lists the projects of the demo.", json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
}

// Repeatable implements tools.Repeater: nothing is changed by a call.
func (Projects) Repeatable(tools.Call) bool { return true }

// Names are alike in all languages: a list is fetched once for everybody.
const (
	projectNames = "Aurora Borealis Cascade Delta Ember Fjord Garnet Harbour Iris Juniper Kestrel Lumen Meridian Nimbus Onyx Pioneer Quartz Redwood Solstice Tundra Umbra Vega Willow Xenon Yarrow Zephyr"
	projectTeams = "Lisboa Berlin Lyon Sevilla"
)

// Run implements tools.Tool.
func (Projects) Run(context.Context, tools.Call) (tools.Outcome, error) {
	type project struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Team string `json:"team"`
	}
	teams := strings.Fields(projectTeams)
	list := []project{}
	for i, name := range strings.Fields(projectNames) {
		list = append(list, project{fmt.Sprintf("p-%02d", i+1), name, teams[i%len(teams)]})
	}
	raw, err := json.Marshal(map[string]any{"projects": list})
	return tools.Outcome{Result: string(raw)}, err
}

// Booking says what it would have booked.
type Booking struct{}

var (
	_ tools.Tool      = Booking{}
	_ tools.Describer = Booking{}
)

// Definition implements tools.Describer.
func (Booking) Definition() (string, json.RawMessage) {
	return "Books a journey of one night, for show: nothing is booked.", json.RawMessage(fmt.Sprintf(
		`{"type":"object","properties":{"destination":{"type":"string","minLength":1,"maxLength":%d},"from":{"type":"string","format":"date"}},"required":["destination","from"],"additionalProperties":false}`,
		maxDestination))
}

// Repeatable implements tools.Repeater: nothing is changed by a call.
func (Booking) Repeatable(tools.Call) bool { return true }

// Run implements tools.Tool.
func (Booking) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	var a struct {
		Destination string `json:"destination"`
		From        string `json:"from"`
	}
	if err := json.Unmarshal([]byte(call.Arguments), &a); err != nil {
		return refuse("arguments must be a JSON object with destination and from")
	}
	from, err := time.Parse(time.DateOnly, a.From)
	if err != nil {
		return refuse("from must be a day of the calendar, such as 2026-12-31")
	}
	number := sha256.Sum256([]byte(call.Arguments))
	raw, err := json.Marshal(struct {
		Reference   string `json:"reference"`
		Destination string `json:"destination"`
		From        string `json:"from"`
		To          string `json:"to"`
		Booked      bool   `json:"booked"`
	}{fmt.Sprintf("DEMO-%X", number[:3]), a.Destination, a.From, from.AddDate(0, 0, 1).Format(time.DateOnly), false})
	return tools.Outcome{Result: string(raw)}, err
}

func refuse(message string) (tools.Outcome, error) {
	return tools.Outcome{}, &tools.Error{Code: tools.CodeInvalidArguments, Message: message}
}
