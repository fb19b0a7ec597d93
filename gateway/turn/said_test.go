package turn_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// paying is a house whose one tool beside ask_user, clock, is refused an amount that nobody said,
// and which takes files.
func paying(t *testing.T, steps ...answer) *house {
	t.Helper()
	h := build(t, `{}`, nil, steps...)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "apps"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"apps/helper.json": `{"id": "helper", "tools": ["ask_user", "clock"], "memory": true, "clarifications": {"keys": {"budget": {"remember": "user", "silent": true}}}}`,
		"tools.json": `[{"id": "ask_user", "type": "ask_user"}, {"id": "clock", "type": "http", "unfounded": "refuse",
			"parameters": {"properties": {"amount": {"type": "number"}}, "required": ["amount"]}, "http": {"url": "http://127.0.0.1:1/"}}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	setup := h.engine.Setup()
	var err error
	if setup.Config, err = config.Load(config.Options{Dir: dir, Env: func(string) (string, bool) { return "", false }, Tools: types}); err != nil {
		t.Fatal(err)
	}
	h.factories[config.TypeAskUser] = func(*config.App, *config.Tool) (tools.Tool, error) {
		return askuser.New(askuser.Limits{MaxFile: 1000}, func(string) askuser.Words { return askuser.Words{Yes: "Yes", No: "No"} }), nil
	}
	if setup.Catalog, err = toolexec.NewCatalog(setup.Config, h.factories); err != nil {
		t.Fatal(err)
	}
	o := h.engine.Options
	o.Registry = prometheus.NewRegistry()
	if o.Files, err = files.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	h.open(o)
	return h
}

// The text of a file that a person sent is what they said; what stands beside it in the result
// is not: the question.
func TestWhatAFileSaysIsSaid(t *testing.T) {
	h := paying(t, step("call_1", `{"question":"Which invoice? Is it number 4711?","input_type":"file"}`),
		step("guard_1", `{"amount":1250}`, "guard_2", `{"amount":4711}`, "guard_3", `{"amount":99}`), says("done"))
	h.drive(h.message("Pay the invoice."))
	f, err := h.engine.Uploads.Upload(t.Context(), uploads.Upload{Config: h.engine.Setup().Config, Ref: h.ref, Name: "invoice.txt", Body: strings.NewReader("Invoice of Acme Ltd.\nTotal: 1.250,00 EUR\n")})
	if err != nil {
		t.Fatal(err)
	}
	h.drive(h.answer("call_1", f.ID))
	h.wantCalls("counted", "INVALID_ARGUMENTS", "INVALID_ARGUMENTS")
}

// wantCalls compares what the calls of clock in the chat came to.
func (h *house) wantCalls(want ...string) {
	h.t.Helper()
	var came []string
	for _, m := range h.snapshot().Messages {
		for _, c := range m.ToolCalls {
			switch {
			case c.ToolName != "clock":
			case c.Error != nil:
				came = append(came, c.Error.Code)
			case c.Result != nil:
				came = append(came, *c.Result)
			}
		}
	}
	if !slices.Equal(came, want) {
		h.t.Errorf("%q, want %q:\n%s", came, want, h.came())
	}
}

// What is remembered of a person was said, in a chat before: their answers, and the words that the
// model is told. What it had remembered in this turn is its own.
func TestWhatIsRememberedWasSaid(t *testing.T) {
	const asks = `{"question":"Which budget?","input_type":"number","key":"budget"}`
	h := paying(t, step("call_1", asks), says("done"),
		step("call_2", asks), step("call_3", askOther), step("guard_1", `{"amount":1250}`, "guard_2", `{"amount":4300}`, "guard_3", `{"amount":77}`), says("done"))
	remember := func(key, text string, at time.Time) {
		if err := h.store.SaveMemory(t.Context(), chat.Memory{ID: chat.NewID("mem"), Tenant: h.ref.Tenant, Subject: h.ref.Subject, App: h.ref.App, Key: key, Text: text, UpdatedAt: at}, 100); err != nil {
			t.Fatal(err)
		}
	}
	h.drive(h.message("hi"))
	h.drive(h.closes("call_1", `{"value":1250,"dontAskAgain":true}`))
	remember("rent", "The rent is 4300 euros.", time.Now().Add(-time.Minute))
	other := h.chat("c2")
	other.drive(other.message("Pay it."))
	remember("fee", "The fee is 77 euros.", time.Now())
	other.drive(other.closes("call_3", `{"value":"blue"}`))
	other.wantCalls("counted", "counted", "INVALID_ARGUMENTS")
}
