package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// An admin sees each model, in order, with how requests to it are adapted, which tools are left
// out, and the newest refusals, most recent first.
func TestAdminSeesWhatModelsServersRefused(t *testing.T) {
	c := loadSchemas(t)
	notes := upstream.NewNotes(nil)
	at := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
	notes.Learnt(upstream.Adaptation{What: "temperature", Detail: "temperature is left out", At: at})
	notes.Learnt(upstream.Adaptation{What: "tool", Detail: "the tool book is left out", Tool: "book", At: at})
	for i := range 25 {
		notes.Refused(upstream.Refusal{At: at.Add(time.Duration(i) * time.Second), Status: 400 + i, Reason: fmt.Sprint("no ", i)})
	}
	s := newServer(t, files{
		"gateway.json": `{"models": {"default": {"provider": "demo"}, "bare": {"provider": "demo"}}, "auth": {"mode": "apiKeys", "keys": [` +
			keyEntry("ops", "ag_admin", "ops", `"admin"`, false) + `]}}`,
	}, func(o *api.Options) {
		o.ModelNotes = func(name string) *upstream.Notes { return map[string]*upstream.Notes{"default": notes}[name] }
	})
	r := s.call("GET", "/v1/admin/models", "", admin...)
	c.check("AdminModels", r.body)
	var got struct {
		Items []struct {
			Name         string
			Adaptations  []struct{ What, Detail, At string }
			OmittedTools []struct{ Tool, Detail string }
			Refusals     []struct {
				At, Reason string
				Status     int
			}
		}
	}
	r.decode(t, 200, &got)
	if len(got.Items) != 2 || got.Items[0].Name != "bare" || got.Items[1].Name != "default" || len(got.Items[0].Refusals)+len(got.Items[0].Adaptations) != 0 {
		t.Fatalf("%s", r.body)
	}
	m := got.Items[1]
	if fmt.Sprint(m.Adaptations, m.OmittedTools) != "[{temperature temperature is left out 2026-11-26T10:00:00.000Z}] [{book the tool book is left out}]" {
		t.Errorf("%s", r.body)
	}
	if len(m.Refusals) != 20 || m.Refusals[0].Reason != "no 24" || m.Refusals[0].Status != 424 || m.Refusals[19].Reason != "no 5" {
		t.Errorf("%s", r.body)
	}
}
