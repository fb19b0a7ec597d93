// Package demotools has the tools that the demo model calls, so that its chats show what tools
// can do without a server: a list of projects to choose from, and a booking that books nothing.
// Both run inside the process, keep no state, and return the same result for the same call.
// Apps with any other model do not get them.
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

const (
	ProjectsID = "demo_projects"
	BookingID  = "demo_booking"
)

const maxDestination = 4000 // characters: as long as an answer may be by default

// Types returns the tools as types that the program can register.
func Types() []config.ToolType {
	projects, booking := config.Builtin(ProjectsID, Projects{}), config.Builtin(BookingID, Booking{})
	projects.Demo, booking.Demo = true, true
	booking.NeedsApproval = true
	projects.Lists = func(*config.Tool, *config.OptionsFrom) string { return "" }
	return []config.ToolType{projects, booking}
}

// Projects lists made-up projects, more than fit into one question.
type Projects struct{}

var (
	_ tools.Tool      = Projects{}
	_ tools.Describer = Projects{}
)

// Definition implements tools.Describer.
func (Projects) Definition() (string, json.RawMessage) {
	return "Lists the projects of the demo.", json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
}

// Repeatable implements tools.Repeater: a call changes nothing.
func (Projects) Repeatable(tools.Call) bool { return true }

// The names are the same in all languages, because a list is fetched once for all users.
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

// Booking returns what it would have booked.
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

// Repeatable implements tools.Repeater: a call changes nothing.
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
