package turn_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// withChannels adds people of the harness's tenant, and two channels, to the configuration.
func (h *house) withChannels(people ...config.Person) {
	h.t.Helper()
	g := &h.engine.Setup().Config.Gateway
	g.People = people
	g.Channels = []config.Channel{{ID: "mail", Type: config.ChannelMail}, {ID: "other", Type: config.ChannelMail, Apps: []string{"another"}}}
}

// noticed returns whom the channel mail is to tell now, and of what.
func (h *house) noticed() (all []string) {
	h.t.Helper()
	due, err := h.store.Outbox().ClaimNotices(h.t.Context(), "mail", time.Hour, 100)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, n := range due {
		what := map[int]string{0: "asked", store.NoticeEnded: "ended"}[n.Stage]
		all = append(all, n.Person+" "+what)
	}
	slices.Sort(all)
	if channels, err := h.store.Outbox().Channels(h.t.Context()); err != nil || slices.Contains(channels, "other") {
		h.t.Errorf("channels of other apps tell: %v, %v", channels, err)
	}
	return all
}

func person(subject string, roles ...string) config.Person {
	return config.Person{Tenant: "t", Subject: subject, Roles: roles}
}

// The owner of a chat is told of its questions, named in the configuration or not, and once they have
// ended that they have.
func TestTheOwnerIsToldOfAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("ask_1"), says("done"))
		h.withChannels(person("carol", "finance"))
		h.drive(h.message("hello"))
		if got := h.noticed(); !slices.Equal(got, []string{"s asked"}) {
			t.Errorf("told: %v", got)
		}
		h.drive(h.answer("ask_1", "fr"))
		time.Sleep(2 * time.Hour) // the claim lapses
		if got := h.noticed(); !slices.Equal(got, []string{"s ended"}) {
			t.Errorf("told: %v", got)
		}
	})
}

// Holders of a role are told, except for the one whose call it is.
func TestTheHoldersOfARoleAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), says("done"))
		h.byFinance()
		stranger := person("eve", "finance")
		stranger.Tenant = "u"
		h.withChannels(person("carol", "lead", "finance"), person("s", "finance"), person("dora", "finance"), person("bob", "lead"), stranger)
		h.drive(h.message("what time is it?"))
		if got := h.noticed(); !slices.Equal(got, []string{"carol asked", "dora asked"}) {
			t.Errorf("told: %v", got)
		}
		if c := h.snapshot().Clarification; len(c.NotTold) != 0 {
			t.Errorf("not told: %v", c.NotTold)
		}
	})
}

// A question to a role that no one has, and one whose people cannot be told, say so while they wait.
func TestAQuestionSaysWhoCouldNotBeTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), says("done"))
		h.byFinance()
		h.withChannels(person("s", "finance"))
		h.drive(h.message("what time is it?"))
		c := h.snapshot().Clarification
		if got := h.noticed(); len(got) != 0 || !slices.Equal(c.NotTold, []string{"mail"}) {
			t.Errorf("told: %v, not told: %v", got, c.NotTold)
		}
		h.drive(h.message("never mind"))
		stored, err := h.store.Clarification(t.Context(), c.ClarificationID)
		if err != nil || stored.State == tools.StatePending {
			t.Fatalf("%s, %v", stored.State, err)
		}
		if kept := chat.NewKept(&stored); len(kept.NotTold) != 0 {
			t.Errorf("a question that has ended was not told: %v", kept.NotTold)
		}
	})
}

// With a step of an escalation the holders of its role are told, and a channel that had told no one by
// then has.
func TestAStepTellsTheHoldersOfItsRole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), says("done"))
		h.escalating("")
		h.withChannels(person("s", "finance", "lead"), person("carol", "lead"), person("dora", "lead", "board"))
		h.drive(h.message("what time is it?"))
		id := h.snapshot().Clarification.ClarificationID
		if got, c := h.noticed(), h.storedAs(id); len(got) != 0 || !slices.Equal(c.NotTold, []string{"mail"}) {
			t.Errorf("before: told %v, not told %v", got, c.NotTold)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go h.engine.Sweep(ctx)
		time.Sleep(time.Minute + 2*time.Second)
		synctest.Wait()
		if got, c := h.noticed(), h.storedAs(id); !slices.Equal(got, []string{"carol asked", "dora asked"}) || len(c.NotTold) != 0 {
			t.Errorf("after the first step: told %v, not told %v", got, c.NotTold)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := h.noticed(); len(got) != 0 {
			t.Errorf("told again: %v", got)
		}
	})
}
