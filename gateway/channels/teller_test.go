package channels_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

func TestAPersonIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		n := start(t, db, p, mail(`, "texts": true`))
		begin := time.Now()
		ask(t, db, "c", "clr_1", nil, "alice")
		rest(time.Hour)
		if got := p.told(begin); !strings.HasPrefix(got, "alice@example.org/0@") || strings.Contains(got, " ") {
			t.Errorf("told: %s", got)
		}
		m := p.first(t)
		sealed, personal := strings.CutPrefix(m.Link, "https://ask.example.org"+notify.LinkPath)
		link, ok := notify.OpenLink(&n.snap.Gateway.Auth.Session, sealed)
		if !personal || !m.Personal || !ok || link.ClarificationID != "clr_1" || link.Subject != "alice" {
			t.Errorf("the link %s is %+v", m.Link, link)
		}
		if m.Language != "de" || m.App != "Helfer" || m.Asker != "Helfer" || !m.Texts || !m.Open() || m.Text("x", nil) != "de:x" {
			t.Errorf("%+v", m)
		}
		answer(t, db, "c")
		rest(2 * time.Second)
		if len(p.ended) != 1 || p.ended[0] != "ref-1 answered" || len(p.sent) != 1 {
			t.Errorf("ended: %v, sent %d", p.ended, len(p.sent))
		}
		if n.counted("delivered") != 2 || n.counted("failed") != 0 || n.counted("not_told") != 0 {
			t.Errorf("%d, %d, %d", n.counted("delivered"), n.counted("failed"), n.counted("not_told"))
		}
	})
}

// A message that shows an answer is updated again when the answer is deleted.
func TestADeletedAnswerIsTakenOutOfItsMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		n := start(t, db, p, mail(""))
		ask(t, db, "c", "clr_1", nil, "alice")
		rest(2 * time.Second)
		answer(t, db, "c")
		rest(2 * time.Second)
		n.stop()
		start(t, db, p, mail(""))
		err := db.Update(t.Context(), ref("c"), func(tx store.Tx) error {
			c, err := db.Clarification(t.Context(), "clr_1")
			if err != nil {
				return err
			}
			c.Answer = &tools.Answer{Deleted: true}
			return errors.Join(tx.Clarifications().Save(c), tx.AddNews(chat.News{Type: chat.EventClarificationResolved, ClarificationID: c.ID, EndNotices: true}))
		})
		if err != nil {
			t.Fatal(err)
		}
		rest(2 * time.Second)
		if got := strings.Join(p.ended, ", "); got != "ref-1 answered, ref-1 deleted" {
			t.Errorf("ended: %s", got)
		}
	})
}

// Another person of a chat's question, or a holder of a role, gets no link that answers in the owner's
// name.
func TestOnlyTheOwnersLinkAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		start(t, db, p, mail(""))
		ask(t, db, "c", "clr_1", func(c *chat.Clarification) { c.For = "finance" }, "carol")
		rest(2 * time.Second)
		m := p.first(t)
		if m.Personal || m.Link != "https://ask.example.org/?inbox" || m.Email != "carol@example.org" || m.Language != "en" || m.Texts {
			t.Errorf("%+v", m)
		}
	})
}

func TestTheAskersTitleStaysInItsLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		start(t, db, p, mail(""))
		ask(t, db, "c", "clr_1", func(c *chat.Clarification) {
			c.Question.AskedBy = &tools.Asker{Kind: tools.AskerProgram, Name: "deploy", Title: "CI\r\nBcc: x@y.z\u2028\u202e" + strings.Repeat("é", 300)}
			c.TurnID, c.Asker = "", "ci"
		}, "alice")
		rest(2 * time.Second)
		if m := p.first(t); !strings.HasPrefix(m.Asker, "CI Bcc: x@y.z éé") || strings.ContainsAny(m.Asker, "\r\n\u2028\u202e") || len([]rune(m.Asker)) > 200 {
			t.Errorf("%q", m.Asker)
		}
	})
}

func TestReminders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		n := start(t, db, p, mail(`, "remindAfter": ["30m", "4h", "2d"]`), 10*time.Second)
		begin := time.Now()
		ask(t, db, "c", "clr_1", nil, "alice")
		rest(time.Hour)
		n.stop() // the node is away while two reminders become due: they are one
		rest(3 * 24 * time.Hour)
		start(t, db, p, mail(`, "remindAfter": ["30m", "4h", "2d"]`), 10*time.Second)
		rest(10 * 24 * time.Hour)
		if got := p.told(begin); got != "alice@example.org/0@0s alice@example.org/1@30m0s alice@example.org/2@73h0m0s" {
			t.Errorf("told: %s", got)
		}
		threads := map[string]bool{}
		ids := map[string]bool{}
		for _, m := range p.sent {
			threads[m.Thread], ids[m.ID] = true, true
		}
		if len(threads) != 1 || len(ids) != 3 {
			t.Errorf("threads %v, ids %v", threads, ids)
		}
		answer(t, db, "c")
		rest(20 * time.Second)
		if len(p.ended) != 1 || p.ended[0] != "ref-1 answered" {
			t.Errorf("of the first message: %v", p.ended)
		}
	})
}

func TestNoReminderAfterTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		start(t, db, p, mail(`, "remindAfter": ["30m"]`))
		ask(t, db, "c", "clr_1", nil, "alice")
		rest(time.Minute)
		answer(t, db, "c")
		rest(time.Hour)
		if len(p.sent) != 1 {
			t.Errorf("%d messages", len(p.sent))
		}
	})
}

// Reminders wait for the end of the quiet time, several as one. First messages do not.
func TestRemindersKeepTheQuietTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble begins on 2000-01-01 at 00:00 UTC
		db, p := testdb.Open(t), new(phone)
		start(t, db, p, mail(`, "remindAfter": ["1h", "2h", "9h"], "quiet": {"from": "23:00", "to": "07:30", "zone": "UTC"}`), 10*time.Second)
		begin := time.Now().Truncate(24 * time.Hour)
		ask(t, db, "c", "clr_1", nil, "carol")
		rest(48 * time.Hour)
		got := strings.Fields(p.told(begin))
		if len(got) != 3 || !strings.HasPrefix(got[1], "carol@example.org/1@7h30m0s") || !strings.HasPrefix(got[2], "carol@example.org/3@9h0m") {
			t.Errorf("told: %v", got)
		}
	})
}

func TestFailuresAreRepeatedForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		n := start(t, db, p, mail(""), 4*time.Second)
		p.fails(func(int) error { return errors.New("the server answers with status 500") })
		begin := time.Now()
		ask(t, db, "c", "clr_1", nil, "alice")
		rest(22 * time.Hour) // with the longest pause, the next attempt is still within the day
		tries := n.counted("failed")
		if tries < 20 || notTold(t, db, "clr_1") != "" {
			t.Errorf("%d attempts, not told %q", tries, notTold(t, db, "clr_1"))
		}
		rest(3 * 24 * time.Hour)
		if last := p.at[len(p.at)-1].Sub(begin); last > 24*time.Hour || last < 22*time.Hour || n.counted("given_up") != 1 || n.counted("not_told") != 1 || notTold(t, db, "clr_1") != "mail" {
			t.Errorf("the last after %s, %d, %d, not told %q", last, n.counted("given_up"), n.counted("not_told"), notTold(t, db, "clr_1"))
		}
		for i := 1; i < 10; i++ {
			if pause := p.at[i].Sub(p.at[i-1]); pause < 4*time.Second || pause > 70*time.Minute {
				t.Errorf("pause %d: %s", i, pause)
			}
		}
		if strings.Contains(n.log.String(), "alice@") {
			t.Errorf("the log has an address: %s", n.log)
		}
	})
}

// A server that says for how long it takes nothing is left alone for as long; what was sent before is named
// to what follows.
func TestAServersPauseIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		start(t, db, p, mail(`, "remindAfter": ["3h"]`), time.Second)
		p.fails(func(n int) error {
			if n == 1 {
				return fmt.Errorf("sending: %w", &channels.WaitError{Why: "limited", For: 17 * time.Minute})
			}
			return nil
		})
		ask(t, db, "c", "clr_1", nil, "alice")
		rest(4 * time.Hour)
		if len(p.sent) != 3 {
			t.Fatalf("%d attempts", len(p.sent))
		}
		if pause := p.at[1].Sub(p.at[0]); pause < 17*time.Minute || pause > 18*time.Minute {
			t.Errorf("tried after %s", pause)
		}
		if p.sent[1].Ref != "" || p.sent[2].Ref != "ref-2" {
			t.Errorf("refers to %q, then %q", p.sent[1].Ref, p.sent[2].Ref)
		}
	})
}

func TestWhoIsRefusedIsGivenUpAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		n := start(t, db, p, mail(""))
		p.fails(func(int) error { return &channels.RefusedError{Why: "550"} })
		ask(t, db, "c", "clr_1", nil, "alice")
		ask(t, db, "c", "clr_2", nil, "stranger") // no address is known
		rest(2 * time.Second)
		p.fails(nil)
		ask(t, db, "c", "clr_3", nil, "alice")
		rest(2 * time.Second)
		for id, want := range map[string]string{"clr_1": "mail", "clr_2": "mail", "clr_3": ""} {
			if got := notTold(t, db, id); got != want {
				t.Errorf("%s: not told %q, want %q", id, got, want)
			}
		}
		if n.counted("not_told") != 2 || n.counted("delivered") != 1 {
			t.Errorf("%d, %d", n.counted("not_told"), n.counted("delivered"))
		}
	})
}

func TestTheAddressOfATokenIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		n := start(t, db, p, mail(""))
		session := &n.snap.Gateway.Auth.Session
		for subject, of := range map[string]string{"dora": "dora", "eve": "dora"} { // eve's row has dora's address
			if err := db.Outbox().SaveAddress(t.Context(), "acme", subject, channels.SealAddress(session, "acme", of, "dora@example.org")); err != nil {
				t.Fatal(err)
			}
		}
		ask(t, db, "c", "clr_1", nil, "dora")
		ask(t, db, "d", "clr_2", nil, "eve")
		rest(2 * time.Second)
		if len(p.sent) != 1 || p.first(t).Email != "dora@example.org" || notTold(t, db, "clr_2") != "mail" {
			t.Errorf("%d sent, not told %q", len(p.sent), notTold(t, db, "clr_2"))
		}
	})
}

// Each of two nodes tells some, no one is told twice, and a channel that hangs holds up no other chat
// for longer than an attempt.
func TestTwoNodesTellOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		start(t, db, p, mail(""))
		start(t, db, p, mail(""))
		for i := range 30 {
			ask(t, db, fmt.Sprint("c", i), fmt.Sprint("clr_", i), nil, "alice", "carol")
		}
		rest(time.Minute)
		seen := map[string]int{}
		for _, m := range p.sent {
			seen[m.C.ID+m.Email]++
		}
		if len(seen) != 60 || len(p.sent) != 60 {
			t.Errorf("%d messages of %d", len(p.sent), len(seen))
		}
	})
}

func TestARemovedChannelTellsNoOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		n := start(t, db, p, mail(`, "remindAfter": ["30m"]`))
		ask(t, db, "c", "clr_1", nil, "alice")
		rest(time.Minute)
		n.mu.Lock()
		n.snap = snapshot(t, strings.Replace(mail(""), `"mail"`, `"post"`, 1))
		n.mu.Unlock()
		rest(time.Minute)
		if ids, err := db.Outbox().Channels(t.Context()); err != nil || len(ids) != 0 || len(p.sent) != 1 {
			t.Errorf("%v, %v, %d messages", ids, err, len(p.sent))
		}
	})
}

func TestNothingIsToldOfWhatWasErased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, p := testdb.Open(t), new(phone)
		ask(t, db, "c", "clr_1", nil, "alice")
		ask(t, db, "d", "clr_2", nil, "alice")
		if err := db.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
			t.Fatal(err)
		}
		answer(t, db, "d") // before it was told
		start(t, db, p, mail(""))
		rest(time.Minute)
		if ids, err := db.Outbox().Channels(t.Context()); err != nil || len(ids) != 0 || len(p.sent) != 0 {
			t.Errorf("%v, %v, %d messages", ids, err, len(p.sent))
		}
	})
}

// An address is stored once, again after an hour, and only if it is one and there is a use for it.
func TestAddressesOfCallersAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := testdb.Open(t)
		g := &snapshot(t, mail("")).Gateway
		addresses := &channels.Addresses{Store: db, Log: slog.New(slog.DiscardHandler)}
		keep := func(g *config.Gateway, subject, email string) string {
			addresses.Keep(t.Context(), g, chat.Principal{Tenant: "acme", Subject: subject}, email)
			sealed, err := db.Outbox().Address(t.Context(), "acme", subject)
			if err != nil {
				t.Fatal(err)
			}
			return sealed
		}
		first := keep(g, "dora", "dora@example.org")
		if email, ok := channels.OpenAddress(&g.Auth.Session, "acme", "dora", first); !ok || email != "dora@example.org" || strings.Contains(first, "dora") {
			t.Errorf("%q, %v, %q", email, ok, first)
		}
		if again := keep(g, "dora", "dora@example.org"); again != first {
			t.Error("the same address is stored twice")
		}
		second := keep(g, "dora", "d@example.org")
		if email, _ := channels.OpenAddress(&g.Auth.Session, "acme", "dora", second); email != "d@example.org" {
			t.Errorf("a new address: %q", email)
		}
		if _, err := db.Memory().EraseTraces(t.Context(), "acme", "dora"); err != nil {
			t.Fatal(err)
		}
		rest(time.Hour)
		if keep(g, "dora", "d@example.org") == "" {
			t.Error("an erased address does not come back with a call")
		}
		for _, email := range []string{"Dora <d@example.org>", "d@example.org, e@example.org", "d@example.org\r\nBcc: x@y.z", "dora", ""} {
			if keep(g, "eve", email) != "" {
				t.Errorf("%q is kept", email)
			}
		}
		if keep(&snapshot(t, "").Gateway, "fay", "f@example.org") != "" {
			t.Error("an address is kept without channels")
		}
		unsealed := *g
		unsealed.Auth.Session.Secret = ""
		if keep(&unsealed, "gus", "g@example.org") != "" {
			t.Error("an address is kept without a secret")
		}
	})
}
