package config_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
)

// By default an app is interactive, and the model decides which choices accept other text. An app's
// keys apply to that app only.
func TestWhoAnswersAndWhat(t *testing.T) {
	s := mustLoad(t, tree{
		"gateway.json": `{"clarifications": {"allowOther": "always", "onMessageWhilePending": "queue"}, "auth": {"mode": "apiKeys", "keys": [
			{"id": "a", "hash": "` + hash + `", "tenant": "t", "subject": "a"},
			{"id": "b", "hash": "` + strings.Replace(hash, "sha256:", "sha256:f", 1)[:len(hash)] + `", "tenant": "t", "subject": "b", "interactive": false}]}}`,
		"apps/a.json": `{"id": "a"}`,
		"apps/b.json": `{"id": "b", "interactive": false, "clarifications": {"allowOther": "model"}}`,
	}, nil)
	if keys := s.Gateway.Auth.Keys; !keys[0].Interactive || keys[1].Interactive {
		t.Errorf("keys %+v", keys)
	}
	a, _ := s.App("a")
	b, _ := s.App("b")
	if !a.Interactive || b.Interactive {
		t.Errorf("apps %t %t", a.Interactive, b.Interactive)
	}
	if a.Clarifications.AllowOther != config.AllowOtherAlways || b.Clarifications.AllowOther != config.AllowOtherModel ||
		a.Clarifications.OnMessageWhilePending != config.PendingQueue || b.Clarifications.OnMessageWhilePending != config.PendingQueue {
		t.Errorf("apps %+v %+v", a.Clarifications, b.Clarifications)
	}
}

// An app in which no one answers gets a warning about the tools that it never offers.
func TestToolsThatNobodyAnswersAreWarnedOf(t *testing.T) {
	s := mustLoad(t, tree{"apps/a.json": `{"id": "a", "interactive": false, "tools": ["ask_user", "calculator"]}`}, nil)
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, `"ask_user" waits for a person`) {
		t.Errorf("%v", s.Warnings)
	}
	if s = mustLoad(t, tree{"apps/a.json": `{"id": "a", "tools": ["ask_user", "calculator"]}`}, nil); len(s.Warnings) != 0 {
		t.Errorf("%v", s.Warnings)
	}
}

// Only a "reject" that an admin wrote refuses messages that ask to be queued. An app's key replaces the
// gateway's.
func TestARejectThatIsSetIsNotTheDefault(t *testing.T) {
	s := mustLoad(t, tree{
		"gateway.json": `{"clarifications": {"onMessageWhileRunning": "reject"}}`,
		"apps/a.json":  `{"id": "a"}`,
		"apps/b.json":  `{"id": "b", "clarifications": {"onMessageWhileRunning": "queue"}}`,
	}, nil)
	a, _ := s.App("a")
	b, _ := s.App("b")
	plain, _ := mustLoad(t, tree{"apps/a.json": `{"id": "a"}`}, nil).App("a")
	if !a.Clarifications.RefusesWhileRunning || b.Clarifications.RefusesWhileRunning || plain.Clarifications.RefusesWhileRunning {
		t.Errorf("refuses: %t, %t, %t", a.Clarifications.RefusesWhileRunning, b.Clarifications.RefusesWhileRunning, plain.Clarifications.RefusesWhileRunning)
	}
}

// A key has a description in each language, of bounded length, and need not be remembered.
func TestAKeyIsDescribed(t *testing.T) {
	s := mustLoad(t, tree{"apps/a.json": `{"id": "a", "clarifications": {"keys": {"tone": {"description": {"en": "How it sounds", "de": "Wie es klingt"}}, "city": {"remember": "user"}}}}`}, nil)
	a, _ := s.App("a")
	keys := a.Clarifications.Keys
	if tone := keys["tone"]; tone.Description.In("de") != "Wie es klingt" || tone.Description.In("fr") != "How it sounds" || tone.Remember.Remember != "" {
		t.Errorf("tone %+v", tone)
	}
	if city := keys["city"]; !city.Description.IsZero() || city.Remember.Remember != config.RememberUser {
		t.Errorf("city %+v", city)
	}
}
