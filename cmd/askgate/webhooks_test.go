package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// hooked is a request to a receiver, whose signature was checked.
type hooked struct {
	path string
	id   string
	raw  string
	Type string
	Data struct {
		ClarificationID, ChatID, TurnID, State, AnswerLink, FinishReason string
		To                                                               any
		AskedBy                                                          map[string]any
		Questions                                                        []any
		Answer                                                           map[string]any
	}
}

const hookSecret = "bG9uZy1lbm91Z2gtZm9yLWEtd2ViaG9vaw=="

// receive starts a receiver. It accepts only requests with a valid signature, and ignores
// repeated ones: what a node sends while it ends is sent again.
func receive(t *testing.T) (url string, got chan hooked) {
	t.Helper()
	got = make(chan hooked, 100)
	key, err := base64.StdEncoding.DecodeString(hookSecret)
	if err != nil {
		t.Fatal(err)
	}
	var seen sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), body)
		h := hooked{path: r.URL.Path, id: r.Header.Get("webhook-id"), raw: string(body)}
		if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); r.Header.Get("webhook-signature") != want {
			t.Errorf("signature %q, want %q", r.Header.Get("webhook-signature"), want)
		}
		if err := json.Unmarshal(body, &h); err != nil {
			t.Error(err)
		}
		if _, again := seen.LoadOrStore(h.id, true); !again {
			got <- h
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

// telling returns the configuration of askers with webhooks.
func telling(webhooks string) map[string]string {
	files := askers()
	files["gateway.json"] = strings.Replace(files["gateway.json"], `{"auth": {`, `{"webhooks": [`+webhooks+`], "auth": {"session": {"secret": "0123456789abcdef0123456789abcdef"}, `, 1)
	return files
}

// A script asks. A webhook is notified without the text, even across a restart. The person
// answers with the link, without signing in. The script and the webhook get the answer.
func TestAWebhookTellsAndALinkAnswers(t *testing.T) {
	url, got := receive(t)
	p := start(t, modeltest.New(t).URL, telling(fmt.Sprintf(`{"id": "team", "url": %q, "secret": "whsec_%s", "answerLink": true}`, url+"/hook", hookSecret)))
	id, asked := p.ask(`{"to": "alice", "question": "MARKER deploy now?", "options": ["yes", "no"], "askedBy": {"name": "deploy"}}`)
	h := <-got
	if h.Type != "clarification.asked" || h.Data.ClarificationID != id || h.Data.To != "alice" || h.Data.State != "pending" || h.Data.TurnID != "" ||
		h.Data.AskedBy["kind"] != "program" || h.Data.AskedBy["name"] != "deploy" || h.Data.ChatID != asked["chatId"] || h.path != "/hook" || strings.Contains(h.raw, "MARKER") {
		t.Errorf("%s", h.raw)
	}
	link, ours := strings.CutPrefix(h.Data.AnswerLink, p.url)
	if !ours || !strings.HasPrefix(link, "/answer/") {
		t.Fatalf("the link %q does not lead to %s", h.Data.AnswerLink, p.url)
	}
	p.restart()
	page := p.do("GET", link, "")
	if text, _ := io.ReadAll(page.Body); page.StatusCode != 200 || page.Header.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(string(text), "MARKER") || !strings.Contains(string(text), "<!doctype html>") {
		t.Errorf("%d %v %s", page.StatusCode, page.Header, text)
	}
	if status, c := p.as("ci", "GET", "/v1/clarifications/"+id, ""); status != 200 || c["seenAt"] != nil || c["state"] != "pending" {
		t.Errorf("the page changed it: %v", c)
	}
	if resp := p.do("POST", link, `{"value": "yes"}`); resp.StatusCode != 200 {
		body, _ := io.ReadAll(resp.Body)
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	_, ended := p.as("ci", "GET", "/v1/clarifications/"+id+"?wait=55", "")
	if by, _ := ended["answeredBy"].(map[string]any); ended["state"] != "answered" || by["subject"] != "alice" || by["channel"] != "link" {
		t.Errorf("%v", ended)
	}
	if h = <-got; h.Type != "clarification.resolved" || h.Data.State != "answered" || h.Data.AnswerLink != "" || h.Data.Answer != nil {
		t.Errorf("%s", h.raw)
	}
	if resp := p.do("POST", link, `{"value": "no"}`); resp.StatusCode != 409 {
		t.Errorf("used twice: %d", resp.StatusCode)
	}
	// The link for the holders of a role leads to their inbox.
	p.ask(`{"to": {"role": "oncall"}, "question": "Who restarts it?"}`)
	if h = <-got; fmt.Sprint(h.Data.To) != "map[role:oncall]" || h.Data.AnswerLink != p.url+"/?inbox" {
		t.Errorf("%s", h.raw)
	}
	if strings.Contains(p.log.String(), strings.TrimPrefix(link, "/answer/")) {
		t.Error("the log has the link")
	}
}

// A turn asks, is answered and ends: the webhook is notified once of each, in order, with texts if
// configured. Events of other apps are not sent.
func TestAWebhookIsToldOfTurns(t *testing.T) {
	url, got := receive(t)
	files := telling(fmt.Sprintf(`{"id": "team", "url": %q, "secret": "whsec_%s", "texts": true, "apps": ["helper"]}`, url, hookSecret))
	files["apps/other.json"] = `{"id": "other", "tools": ["ask_user"]}`
	p := start(t, "", files)
	for _, app := range []string{"other", "helper"} {
		for _, body := range []string{`{"message": "select"}`, `{"answer": {"value": "fr"}}`} {
			resp := p.do("POST", "/v1/apps/"+app+"/chats/c/messages", body, "Authorization", "Bearer ag_alice")
			if text, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 {
				t.Fatalf("%d %s", resp.StatusCode, text)
			}
		}
	}
	ids := map[string]bool{}
	for _, want := range []string{"clarification.asked", "clarification.resolved", "turn.ended"} {
		h := <-got
		ids[h.id] = true
		resolved := want == "clarification.resolved"
		if h.Type != want || strings.Contains(h.raw, `"app":"other"`) || (len(h.Data.Questions) == 1) == (want == "turn.ended") || resolved && h.Data.Answer["value"] != "fr" || !resolved && h.Data.Answer != nil {
			t.Errorf("%s", h.raw)
		}
		if want == "turn.ended" && (h.Data.FinishReason != "stop" || h.Data.State != "ended") {
			t.Errorf("%s", h.raw)
		}
	}
	if len(ids) != 3 || len(got) != 0 {
		t.Errorf("%v, %d more", ids, len(got))
	}
}
