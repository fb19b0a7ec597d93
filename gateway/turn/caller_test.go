package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// callers are those for whom a tool was called.
type callers struct {
	mu   sync.Mutex
	list []string
}

// mine is a tool whose calls depend on the caller.
type mine struct {
	seen *callers
	who  *tools.Caller
}

func (m mine) As(who tools.Caller) tools.Tool { return mine{m.seen, &who} }

// Definition implements tools.Describer.
func (mine) Definition() (string, json.RawMessage) {
	return "mine", json.RawMessage(`{"properties":{"timezone":{"type":"string"}}}`)
}

func (m mine) Run(_ context.Context, _ tools.Call) (tools.Outcome, error) {
	m.seen.mu.Lock()
	defer m.seen.mu.Unlock()
	text := "no one"
	if m.who != nil {
		text = fmt.Sprintf("%s/%s in %s/%s", m.who.Tenant, m.who.Subject, m.who.App, m.who.Chat)
		for _, name := range slices.Sorted(maps.Keys(m.who.Claims)) {
			text += " " + name + "=" + m.who.Claims[name]
		}
	}
	m.seen.list = append(m.seen.list, text)
	return tools.Outcome{Result: "kept"}, nil
}

func (c *callers) want(t *testing.T, what string, want ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.list, want) {
		t.Errorf("%s: called for\n%s\nwant\n%s", what, strings.Join(c.list, "\n"), strings.Join(want, "\n"))
	}
}

// withSecret lets all nodes open what one has sealed.
var withSecret = strings.Replace(withTokens, `"mode"`, `"session": {"secret": "0123456789abcdef0123456789abcdef"}, "mode"`, 1)

// withTokens is a gateway whose callers have tokens with claims.
const withTokens = `{"auth": {"mode": "jwt", "jwt": {"jwks": "https://issuer.example/keys", "issuer": "https://issuer.example", "audience": ["askgate"]}}}`

// alone is the setting of a tool that is called without a person.
const alone = `"needsApproval": false,`

// personal has the house's keep called with the claim email, where more are the tool's other settings.
func (h *house) personal(clarifications, more, gateway string) *callers {
	h.t.Helper()
	dir := h.t.TempDir()
	load(h.t, dir, `"clarifications": `+clarifications)
	conf := filepath.Join(dir, "config")
	own := `[{"id": "keep", "type": "http", "unfounded": "allow", ` + more + ` "http": {"url": "http://127.0.0.1:1/{caller.claims.email}"}}]`
	if err := os.MkdirAll(filepath.Join(conf, "apps", "helper"), 0o755); err != nil {
		h.t.Fatal(err)
	}
	for name, text := range map[string]string{"apps/helper/tools.json": own, "gateway.json": gateway} {
		if err := os.WriteFile(filepath.Join(conf, name), []byte(text), 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
	snap, err := config.Load(config.Options{Dir: conf, Env: func(string) (string, bool) { return "", false }, Tools: types})
	if err != nil {
		h.t.Fatal(err)
	}
	seen := &callers{}
	h.factories["http"] = func(*config.App, *config.Tool) (tools.Tool, error) { return mine{seen: seen}, nil }
	h.reload(snap)
	return seen
}

// claiming is a command whose sender's token has the claim.
func claiming(cmd turn.Command, email string) turn.Command {
	cmd.Claims = map[string]string{"email": email}
	return cmd
}

// kept returns what the store keeps of callers, by what it is of.
func (h *house) keptOf(of string) string {
	h.t.Helper()
	claims, err := h.store.Caller(h.t.Context(), h.head().ID, of)
	if err != nil {
		h.t.Fatal(err)
	}
	return claims
}

const (
	asAlice = "t/s in helper/c1 email=alice@example.org"
	asAnn   = "t/s in helper/c1 email=ann@example.org"
	asNone  = "t/s in helper/c1"
)

func TestAToolIsCalledForWhoBeganTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("keep_1"), says("done"), asks("keep_2"), says("done"), asks("keep_3"), says("done"))
		seen := h.personal(`{}`, alone, withSecret)
		h.drive(claiming(h.message("one"), "alice@example.org"))
		h.drive(claiming(h.message("two"), "ann@example.org")) // another token of hers
		h.drive(h.message("three"))
		seen.want(t, "in three turns", asAlice, asAnn, asNone)
		if got := h.keptOf(h.turnID()); got != "" {
			t.Errorf("%q is kept of a turn that has ended", got)
		}
	})
}

// The turn waits for a holder of a role, who decides on another node. The call is still made for the
// owner of the chat, with the claims that the turn began with, and not with those of who decides.
func TestAnApprovedCallIsMadeForTheOwnerOfTheChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), asks("keep_1"), says("done"))
		seen := h.personal(`{}`, `"needsApproval": {"by": {"role": "finance"}},`, withSecret)
		a, b := h.node(stream.NewPartial()), h.node(stream.NewPartial())
		a.drive(claiming(a.message("refund"), "alice@example.org"))
		if kept := a.keptOf(a.turnID()); kept == "" || strings.Contains(kept, "alice") || strings.Contains(kept, "email") {
			t.Errorf("kept while the turn waits: %q", kept)
		}
		a.drive(claiming(a.answer("call_1", "blue"), "ann@example.org")) // her own answer, with another token
		if _, err := b.engine.AnswerByID(t.Context(), nil, a.snapshot().Clarification.ClarificationID, yes(), actor("bob"), chat.ChannelAPI); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		seen.want(t, "after the yes", asAlice)
		if got := a.keptOf(a.turnID()); got != "" {
			t.Errorf("%q is kept of a turn that has ended", got)
		}
	})
}

// The process dies once an approval is stored: the node that takes the turn over has its claims.
func TestATurnThatIsTakenOverHasItsClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("keep_1"), says("done"))
		seen := h.personal(`{}`, `"needsApproval": true,`, withSecret)
		a, b := h.node(stream.NewPartial()), h.node(stream.NewPartial())
		a.drive(claiming(a.message("refund"), "alice@example.org"))
		a.submit(a.replies("keep_1", tools.Answer{Value: json.RawMessage(`true`)})) // and is never driven
		ctx, cancel := context.WithCancel(t.Context())
		go b.engine.Sweep(ctx)
		time.Sleep(time.Minute)
		synctest.Wait()
		cancel()
		seen.want(t, "by the other node", asAlice)
		if got := a.keptOf(a.turnID()); got != "" {
			t.Errorf("%q is kept of a turn that has ended", got)
		}
	})
}

func TestATurnThatAnExpiryResumesHasItsClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), asks("keep_1"), says("done"))
		seen := h.personal(`{"expiresIn": "5m"}`, alone, withSecret)
		a, b := h.node(stream.NewPartial()), h.node(stream.NewPartial())
		a.drive(claiming(a.message("go"), "alice@example.org"))
		ctx, cancel := context.WithCancel(t.Context())
		go b.engine.Sweep(ctx)
		time.Sleep(6 * time.Minute)
		synctest.Wait()
		cancel()
		seen.want(t, "after the question had expired", asAlice)
	})
}

// Where a secret was changed, or is not shared, calls are made without the claims, and the log says so.
func TestClaimsThatCannotBeOpenedAreMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), asks("keep_1"), says("done"))
		seen := h.personal(`{}`, alone, withTokens)
		a, b := h.node(stream.NewPartial()), h.node(stream.NewPartial())
		a.drive(claiming(a.message("go"), "alice@example.org"))
		b.drive(b.answer("call_1", "blue"))
		seen.want(t, "without a shared secret", asNone)
		if got := a.keptOf(a.turnID()); got != "" {
			t.Errorf("%q is kept of a turn that has ended", got)
		}
	})
}

// A queued message has the claims of who sent it; they go when it is taken back.
func TestAQueuedMessageHasTheClaimsOfItsSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), says("first"), asks("keep_1"), says("second"), asks("keep_2"), says("third"))
		seen := h.personal(`{}`, alone, withSecret)
		h.drive(claiming(h.message("go"), "alice@example.org"))
		h.submit(claiming(h.waits("next"), "ann@example.org"))
		h.submit(claiming(h.waits("never"), "eve@example.org"))
		h.submit(claiming(h.waits("last"), "alice@example.org"))
		_, next := h.queue(0)
		_, never := h.queue(1)
		if kept := h.keptOf(never); kept == "" || strings.Contains(kept, "eve") {
			t.Errorf("kept with a queued message: %q", kept)
		}
		if err := h.engine.TakeBack(t.Context(), h.ref, never); err != nil || h.keptOf(never) != "" {
			t.Errorf("%v; of a message that was taken back, %q is kept", err, h.keptOf(never))
		}
		h.drive(h.answer("call_1", "blue"))
		synctest.Wait()
		seen.want(t, "in the turns of queued messages", asAnn, asAlice)
		if h.keptOf(next) != "" || h.keptOf(h.turnID()) != "" {
			t.Error("something is kept of what is over")
		}
	})
}

// A message that takes the place of a question ends its turn, and that turn's claims.
func TestAClosedTurnKeepsNoClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), asks("call_2"), says("done"))
		h.personal(`{"onMessageWhilePending": "supersede"}`, alone, withSecret)
		h.drive(claiming(h.message("one"), "alice@example.org"))
		first := h.turnID()
		h.drive(claiming(h.message("something else"), "ann@example.org"))
		if h.turnID() == first || h.keptOf(first) != "" || h.keptOf(h.turnID()) == "" {
			t.Errorf("kept: of the turn that was closed %q, of the one that waits %q", h.keptOf(first), h.keptOf(h.turnID()))
		}
	})
}

// A turn that an error ended has no claims any more: it is resumed with those of who resumes it.
func TestAResumedTurnHasTheClaimsOfWhoResumesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"))
		seen := h.personal(`{}`, alone, withSecret)
		h.drive(claiming(h.message("go"), "alice@example.org"))
		h.drive(h.answer("call_1", "blue")) // the script is over
		if got := h.keptOf(h.turnID()); got != "" {
			t.Errorf("%q is kept of a turn that an error ended", got)
		}
		h.model.steps = []answer{asks("keep_1"), says("done")}
		h.drive(claiming(h.resume(), "ann@example.org"))
		seen.want(t, "resumed", asAnn)
	})
}

func TestAForkHasTheClaimsOfWhoForks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1"), says("one"), asks("keep_1"), says("two"), asks("keep_2"), says("three"))
		seen := h.personal(`{}`, alone, withSecret)
		h.drive(claiming(h.message("go"), "alice@example.org"))
		h.drive(h.answer("call_1", "blue"))
		h.drive(claiming(h.fork(chat.Fork{ClarificationID: h.asked(0)}, nil, "green"), "ann@example.org"))
		c2 := h.chat("c2")
		if got := c2.keptOf(c2.turnID()); got != "" {
			t.Errorf("%q is kept of a fork that has ended", got)
		}
		at := h.snapshot().Messages[0].ID
		text := "go again"
		again := h.fork(chat.Fork{MessageID: at}, &text, nil)
		again.Ref.ChatID = "c3"
		h.drive(claiming(again, "eve@example.org"))
		seen.want(t, "in the forks", "t/s in helper/c2 email=ann@example.org", "t/s in helper/c3 email=eve@example.org")
	})
}

// spared is a store that fails the test if it is used for callers.
type spared struct {
	store.Store
	t *testing.T
}

type sparedTx struct {
	store.Tx
	t *testing.T
}

type sparedRunTx struct {
	store.RunTx
	t *testing.T
}

func (s sparedTx) SaveCaller(chat.KeptCaller) error { s.t.Error("saved"); return nil }
func (s sparedTx) MoveCaller(_, _ string) error     { s.t.Error("moved"); return nil }
func (s sparedTx) DropCaller(string) error          { s.t.Error("dropped"); return nil }
func (s sparedRunTx) DropCaller(string) error       { s.t.Error("dropped by a run"); return nil }

func (s spared) Update(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return s.Store.Update(ctx, ref, func(tx store.Tx) error { return fn(sparedTx{tx, s.t}) })
}

func (s spared) UpdateLazily(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return s.Store.UpdateLazily(ctx, ref, func(tx store.Tx) error { return fn(sparedTx{tx, s.t}) })
}

func (s spared) UpdateAs(ctx context.Context, held store.Held, lazy bool, fn func(store.RunTx) error) error {
	return s.Store.UpdateAs(ctx, held, lazy, func(tx store.RunTx) error { return fn(sparedRunTx{tx, s.t}) })
}

func (s spared) Caller(context.Context, string, string) (string, error) {
	s.t.Error("read")
	return "", nil
}

func (s spared) Recent(ctx context.Context, ref chat.Ref, span func([]chat.Fit) store.Span) (*store.Recent, error) {
	return s.Store.Recent(ctx, ref, func(fits []chat.Fit) store.Span {
		part := span(fits)
		if part.Caller {
			s.t.Error("read with the chat")
		}
		return part
	})
}

// An app whose tools need no claims pays nothing for them.
func TestWithoutClaimsNothingIsReadOrWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, func(s store.Store) store.Store { return spared{s, t} }, asks("count_1"), asks("call_1"), says("one"), says("two"), says("three"))
		h.drive(h.message("go"))
		h.submit(h.waits("next"))
		h.submit(h.waits("never"))
		_, never := h.queue(1)
		if err := h.engine.TakeBack(t.Context(), h.ref, never); err != nil {
			t.Fatal(err)
		}
		h.drive(h.answer("call_1", "blue"))
		synctest.Wait()
		h.drive(h.message("last"))
		if got := h.snapshot(); len(got.Messages) == 0 || got.Status != chat.StatusIdle {
			t.Errorf("%s, %d messages", got.Status, len(got.Messages))
		}
	})
}
