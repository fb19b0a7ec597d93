package slacktest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Sign returns the headers of a request with a body, as Slack sends it at a time.
func Sign(secret, body string, at time.Time) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "v0:%s:%s", stamp, body)
	h := http.Header{}
	h.Set("Content-Type", "application/x-www-form-urlencoded")
	h.Set("X-Slack-Request-Timestamp", stamp)
	h.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	h.Set("User-Agent", "Slackbot 1.0 (+https://api.slack.com/robots)")
	return h
}

// Body returns the form of a payload.
func Body(payload any) string {
	data, err := json.Marshal(payload)
	if err != nil { // maps marshal
		panic(err)
	}
	return url.Values{"payload": {string(data)}}.Encode()
}

// Response is what an app answered.
type Response struct {
	Status int
	Body   string
}

// Deliver sends a payload to an app's Request URL, signed now.
func (s *Slack) Deliver(to string, payload any) Response {
	s.t.Helper()
	body := Body(payload)
	return s.Send(to, body, Sign(Secret, body, time.Now()))
}

// Send sends a request as it is.
func (s *Slack) Send(to, body string, h http.Header) Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, to, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header = h
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return Response{resp.StatusCode, string(data)}
}

// user is the person of a payload.
func (s *Slack) user(id string) map[string]any {
	u := s.users[id]
	team := u.Team
	if team == "" {
		team = Team
	}
	return map[string]any{"id": id, "username": u.ShownAs, "name": u.ShownAs, "team_id": team}
}

// common returns what all payloads have, with a new trigger.
func (s *Slack) common(user, kind string) map[string]any {
	s.count++
	trigger := fmt.Sprintf("13345224609.738474920.%032x", s.count)
	s.triggers[trigger] = user
	return map[string]any{
		"type": kind, "user": s.user(user), "api_app_id": "A0ASKGATE", "token": "legacy", "trigger_id": trigger,
		"team": map[string]any{"id": Team, "domain": "askgate"}, "enterprise": nil, "is_enterprise_install": false,
	}
}

// Pressed returns the payload of a press on an element of a message: a button, or an option of a select
// by its value. Parts of it may be changed before it is delivered.
func (s *Slack) Pressed(user string, m *Message, actionID, value string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.common(user, "block_actions")
	p["container"] = map[string]any{"type": "message", "message_ts": m.TS, "channel_id": m.Channel, "is_ephemeral": false}
	p["channel"] = map[string]any{"id": m.Channel, "name": "directmessage"}
	p["message"] = map[string]any{"type": "message", "user": "U0BOT", "ts": m.TS, "bot_id": "B0BOT", "text": m.Text, "team": Team, "blocks": m.Blocks}
	p["state"] = map[string]any{"values": map[string]any{}}
	p["response_url"] = s.host.URL + "/response/" + strconv.Itoa(s.count)
	action := map[string]any{"action_id": actionID, "block_id": "b1", "type": "button", "action_ts": "1764460800.000001"}
	for _, e := range m.Elements() {
		if e["action_id"] != actionID {
			continue
		}
		action["type"], action["text"] = e["type"], e["text"]
		if v, ok := e["value"].(string); ok && value == "" {
			value = v
		}
	}
	if action["type"] == "static_select" {
		action["selected_option"] = map[string]any{"text": map[string]any{"type": "plain_text", "text": "x"}, "value": value}
		delete(action, "text")
	} else {
		action["value"] = value
	}
	p["actions"] = []any{action}
	return p
}

// Press presses an element of a message.
func (s *Slack) Press(to, user string, m *Message, actionID, value string) Response {
	s.t.Helper()
	return s.Deliver(to, s.Pressed(user, m, actionID, value))
}

// Submitted returns the payload of a modal that its user sends with a text in its only field.
func (s *Slack) Submitted(v *View, text string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.common(v.User, "view_submission")
	element, _ := v.Blocks[0]["element"].(map[string]any)
	block, _ := v.Blocks[0]["block_id"].(string)
	action, _ := element["action_id"].(string)
	p["response_urls"] = []any{}
	p["view"] = map[string]any{
		"id": "V1", "team_id": Team, "type": "modal", "callback_id": v.CallbackID, "private_metadata": v.PrivateMetadata, "blocks": v.Blocks, "hash": "156772938.1827394",
		"state": map[string]any{"values": map[string]any{block: map[string]any{action: map[string]any{"type": "plain_text_input", "value": text}}}},
	}
	return p
}
