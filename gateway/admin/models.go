package admin

import (
	"maps"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// modelNotes are what this process knows of a model's server: how requests differ from the
// configuration, and what was refused.
type modelNotes struct {
	Name         string            `json:"name"`
	Adaptations  []triedAdaptation `json:"adaptations"`
	OmittedTools []omittedTool     `json:"omittedTools"`
	Refusals     []refusalItem     `json:"refusals"` // the most recent ones, newest first
}

type omittedTool struct {
	Tool   string    `json:"tool"`
	Detail string    `json:"detail"`
	At     chat.Time `json:"at"`
}

type refusalItem struct {
	At     chat.Time `json:"at"`
	Status int       `json:"status"` // HTTP status; 0: an error within a stream
	Reason string    `json:"reason"` // "" if the server gave none
}

// Models reports what the models' servers accepted and refused, model by model.
func (h Admin) Models(r *host.Request) error {
	items := []modelNotes{}
	for _, name := range slices.Sorted(maps.Keys(r.Setup().Config.Gateway.Models)) {
		var notes *upstream.Notes
		if h.ModelNotes != nil {
			notes = h.ModelNotes(name)
		}
		items = append(items, newModelNotes(name, notes))
	}
	return r.JSON(struct {
		Since chat.Time    `json:"since"` // when this process began; others are not included
		Items []modelNotes `json:"items"`
	}{chat.Time(r.Host.Started.UTC().Truncate(time.Second)), items})
}

func newModelNotes(name string, notes *upstream.Notes) modelNotes {
	m := modelNotes{Name: name, Adaptations: []triedAdaptation{}, OmittedTools: []omittedTool{}, Refusals: []refusalItem{}}
	adaptations, refusals := notes.List()
	for _, n := range adaptations {
		if n.What == "tool" {
			m.OmittedTools = append(m.OmittedTools, omittedTool{n.Tool, n.Detail, chat.Time(n.At)})
			continue
		}
		m.Adaptations = append(m.Adaptations, triedAdaptation{n.What, n.Detail, chat.Time(n.At)})
	}
	for _, n := range slices.Backward(refusals) {
		m.Refusals = append(m.Refusals, refusalItem{chat.Time(n.At), n.Status, n.Reason})
	}
	return m
}
