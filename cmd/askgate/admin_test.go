package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

func (p *process) admin(path string, to any) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.body("GET", "/v1/admin/"+path, "")), to); err != nil {
		p.t.Fatal(err)
	}
}

// The admin view shows the tools exactly as the model gets them, in every language.
func TestAdminSeesWhatTheModelIsTold(t *testing.T) {
	model := modeltest.NewFunc(t, func(int, modeltest.Request) modeltest.Response { return modeltest.Answer("ok") })
	p := start(t, model.URL, map[string]string{
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user", "calculator", "clock", "laws"], "clarifications": {"maxOptions": 7}}`, "laws/a.md": "# A",
		"apps/quiet.json": `{"id": "quiet", "name": "Quiet", "tools": ["ask_user", "clock"], "clarifications": {"perTurn": 0}}`,
		"tools.json": `[{"id": "ask_user", "type": "ask_user", "description": {"en": "Ask <them> & wait.", "de": "Frage sie."}},
			{"id": "laws", "type": "documents", "description": {"en": "The laws.", "de": "Die Gesetze."}, "documents": {"path": "laws"}},
			{"id": "clock", "description": {"en": "The time.", "de": "Die Uhrzeit."}}]`,
	})
	for _, app := range []string{"helper", "quiet"} {
		for _, language := range []string{"en", "de", "fr"} {
			p.send(app, "chat-"+language, `{"message":"hi","locale":"`+language+`"}`)
			requests := model.Requests()
			type definition struct {
				Name, Description string
				Parameters        any
			}
			var sent struct {
				Tools []struct{ Function definition }
			}
			if err := json.Unmarshal(requests[len(requests)-1].Raw, &sent); err != nil {
				t.Fatal(err)
			}
			var seen struct{ Items []definition }
			p.admin("tools?app="+app+"&language="+language, &seen)
			if len(seen.Items) != len(sent.Tools) || len(seen.Items) == 0 {
				t.Fatalf("%s in %s: the model gets %d tools, the admin sees %d", app, language, len(sent.Tools), len(seen.Items))
			}
			for i, got := range seen.Items {
				if want := sent.Tools[i].Function; !reflect.DeepEqual(got, want) {
					t.Errorf("%s in %s: the model gets\n%v, the admin sees\n%v", app, language, want, got)
				}
				if want := map[string]string{"en": "The laws. ", "de": "Die Gesetze. ", "fr": "The laws. "}[language]; got.Name == "laws__search" && !strings.HasPrefix(got.Description, want+"Finds") {
					t.Errorf("in %s: %s", language, got.Description)
				}
			}
		}
	}
}

// The admin view shows faults until they are fixed, and which configuration is active until then.
func TestAdminSeesFaultsUntilTheyAreFixed(t *testing.T) {
	const good = `{"id": "helper", "name": "Helper", "tools": []}`
	p := start(t, "", map[string]string{"apps/helper.json": good, "tools.json": `[]`})
	type faults struct {
		At, LoadedAt string
		Items        []struct {
			File         string
			Line, Column int
			Message      string
		}
	}
	read := func() (f faults) {
		t.Helper()
		p.admin("faults", &f)
		return f
	}
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(p.dir, "apps/helper.json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := read()
	if before.At == "" || before.At != before.LoadedAt || len(before.Items) != 0 {
		t.Errorf("at the start: %+v", before)
	}
	write("{\"id\": \"helper\",\n \"tols\": []}")
	waitFor(t, func() bool { return len(read().Items) == 1 })
	f := read()
	if at := f.Items[0]; !strings.HasSuffix(at.File, "apps/helper.json") || at.Line != 2 || at.Column != 2 || !strings.Contains(at.Message, `"tools"`) {
		t.Errorf("%+v", at)
	}
	if f.LoadedAt != before.LoadedAt || f.At <= f.LoadedAt {
		t.Errorf("read at %s, active since %s; the start was at %s", f.At, f.LoadedAt, before.LoadedAt)
	}
	write(good)
	waitFor(t, func() bool { return len(read().Items) == 0 })
	if after := read(); after.LoadedAt <= f.At || after.At != after.LoadedAt {
		t.Errorf("fixed: %+v", after)
	}
}

// The counts of the admin view survive a restart, because they come from the store. They include apps
// that were removed.
func TestAdminCountsOutliveTheProcess(t *testing.T) {
	p := start(t, "", map[string]string{
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"]}`,
		"apps/other.json":  `{"id": "other", "name": "Other", "tools": []}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	})
	p.send("helper", "c1", `{"message":"select"}`)
	p.send("helper", "c1", `{"answer":{"value":"fr"}}`)
	p.send("helper", "c2", `{"message":"text"}`)
	type stats struct {
		Apps []struct {
			App                      string
			Asked, Answered, Pending int
		}
	}
	var before, after stats
	p.admin("stats", &before)
	if len(before.Apps) != 1 || before.Apps[0].Asked != 2 || before.Apps[0].Answered != 1 || before.Apps[0].Pending != 1 {
		t.Fatalf("%+v", before)
	}
	p.stop()
	if err := os.Remove(filepath.Join(p.dir, "apps/helper.json")); err != nil {
		t.Fatal(err)
	}
	p.run()
	p.admin("stats", &after)
	if !reflect.DeepEqual(before, after) {
		t.Errorf("before the restart %+v, after %+v", before, after)
	}
}
