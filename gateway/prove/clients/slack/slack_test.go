package slack_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/channels/slack/slacktest"
	"github.com/askgate/askgate/gateway/prove/npmtest"
)

// Slack's own libraries, as published on npm, take the stand-in for Slack for the real one: they read its
// payloads, check its signatures, and understand what it answers and refuses.
func TestBoltMeetsTheStandIn(t *testing.T) {
	dir := npmtest.Install(t, ".")
	s := slacktest.New(t)
	s.Add(slacktest.User{ID: "U0CAROL", Email: "carol@example.org", ShownAs: "carol"})
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c struct{ At, Action, How string }
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			t.Error(err)
		}
		var got any
		switch r.URL.Path {
		case "/press":
			m := s.Messages()[0]
			body := slacktest.Body(s.Pressed("U0CAROL", &m, c.Action, ""))
			secret, at := slacktest.Secret, time.Now()
			switch c.How {
			case "forged":
				secret = "another"
			case "old":
				at = at.Add(-6 * time.Minute)
			}
			got = s.Send(c.At, body, slacktest.Sign(secret, body, at))
		case "/submit":
			view := s.Views()[0]
			got = s.Deliver(c.At, s.Submitted(&view, "typed"))
		case "/told":
			_, told := s.Wait(func(_ []slacktest.Message, told []slacktest.Told) bool { return len(told) > 0 })
			got = told[0]
		}
		_ = json.NewEncoder(w).Encode(got)
	}))
	defer control.Close()
	npmtest.Node(t, dir, "bolt.mjs", "SLACK_API_URL="+s.URL(), "SLACK_TOKEN="+slacktest.Token, "SLACK_SECRET="+slacktest.Secret, "CONTROL_URL="+control.URL)
}
