package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// While a gateway runs, askgate forget erases one person: chats of all apps, an open question, memories
// and records of the audit. It erases nothing about other people.
func TestForgetErasesOnePerson(t *testing.T) {
	files := askers() // alice, bob and others
	files["gateway.json"] = strings.Replace(files["gateway.json"], "{", `{"audit": {"enabled": true}, "models": {"default": {"provider": "demo"}}, `, 1)
	files["apps/other.json"] = `{"id": "other", "name": "Other", "tools": ["ask_user"]}`
	p := start(t, "", files)
	store := "sqlite:" + filepath.Join(p.dir, "askgate.db")
	for _, who := range []string{"alice", "bob"} {
		p.as(who, "POST", "/v1/apps/helper/chats/c1/messages", `{"message":"select"}`, "Accept", "application/json")
		p.as(who, "POST", "/v1/apps/other/chats/c2/messages", `{"message":"select"}`, "Accept", "application/json")
		keep(t, store, who)
	}
	forgotten := func(subject string) string {
		t.Helper()
		code, stdout, stderr := command(t, "forget", "--config", p.dir, "--store", store, "--tenant", "acme", "--subject", subject)
		if code != 0 || stderr != "" {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		return stdout
	}
	if got := forgotten("alice"); got != "Erased. Chats: 2, open questions in them: 2, memories: 1\n" {
		t.Errorf("of alice: %s", got)
	}
	if got := forgotten("alice"); got != "Erased. Chats: 0, open questions in them: 0, memories: 0\n" {
		t.Errorf("of alice again: %s", got)
	}
	for _, path := range []string{"/v1/apps/helper/chats", "/v1/apps/other/chats", "/v1/clarifications", "/v1/memory"} {
		for who, want := range map[string]bool{"alice": false, "bob": true} {
			_, got := p.as(who, "GET", path, "")
			if items, ok := got["items"].([]any); !ok || len(items) > 0 != want {
				t.Errorf("%s of %s: %v", path, who, got)
			}
		}
	}
	_, audit, _ := command(t, "audit", "--config", p.dir, "--store", store)
	if strings.Contains(audit, "alice") || strings.Count(audit, `"what":"erased"`) != 2 || !strings.Contains(audit, `"subject":"bob"`) {
		t.Errorf("the audit has %s", audit)
	}
	if code, stdout, stderr := command(t, "audit", "--verify", "--config", p.dir, "--store", store); code != 0 {
		t.Errorf("the audit does not hold any more: %s%s", stdout, stderr)
	}
}

// keep makes the gateway remember something about a person.
func keep(t *testing.T, url, subject string) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url, sqldb.Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Memory().SaveMemory(t.Context(), chat.Memory{ID: chat.NewID("mem"), Tenant: "acme", Subject: subject, App: "helper", Key: "k", Text: "x"}, 1); err != nil {
		t.Fatal(err)
	}
}

// askgate forget names missing flags, so that no one is erased by accident, and creates no empty store.
func TestForgetNamesWhatIsMissing(t *testing.T) {
	for _, flags := range [][]string{{}, {"--tenant", "acme"}, {"--subject", "alice"}} {
		code, _, stderr := command(t, append([]string{"forget"}, flags...)...)
		if code != 2 || !strings.Contains(stderr, "--tenant and --subject are required") {
			t.Errorf("%v: exit %d, %s", flags, code, stderr)
		}
	}
	missing := filepath.Join(t.TempDir(), "typo.db")
	code, _, stderr := command(t, "forget", "--config", t.TempDir(), "--store", "sqlite:"+missing, "--tenant", "acme", "--subject", "alice")
	if code != 1 || !strings.Contains(stderr, missing) {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
