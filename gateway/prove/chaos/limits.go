package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

// limitsOptions are the options of the limits command.
type limitsOptions struct {
	common
	nodes int
	sent  int // requests per limit
	most  int // that it allows
}

// scope is a limit and the requests that use it up.
type scope struct {
	name    string
	limits  func(most int) object // of gateway.json
	asks    func(most int) object // clarifications of gateway.json
	message string
	expect  func(o *limitsOptions, began, ended time.Time) (least, most int)
	meter   func(tenant string) string // holder of the meter that counts its tokens; nil: none does
}

const (
	limitsKey = "limits"
	// quickTokens is the cost that the model reports for "quick".
	quickTokens = 12
	// budgetDays is longer than any run of this command.
	budgetDays = 366
)

// exactly expects the limit itself.
func exactly(o *limitsOptions, _, _ time.Time) (least, most int) { return o.most, o.most }

// refilled allows for the tokens that a bucket gained meanwhile.
func refilled(perMinute func(most int) int) func(*limitsOptions, time.Time, time.Time) (int, int) {
	return func(o *limitsOptions, began, ended time.Time) (least, most int) {
		return o.most, o.most + int(ended.Sub(began).Minutes()*float64(perMinute(o.most)))
	}
}

// windows allows for those that began meanwhile.
func windows(length time.Duration) func(*limitsOptions, time.Time, time.Time) (int, int) {
	return func(o *limitsOptions, began, ended time.Time) (least, most int) {
		n := int(ended.Truncate(length).Sub(began.Truncate(length))/length) + 1
		return o.most, o.most * n
	}
}

func once(int) int      { return 1 }
func same(most int) int { return most }

var scopes = []scope{
	{"requests", func(most int) object { return object{"requestsPerMinute": 1, "burst": most} }, nil, "quick", refilled(once), nil},
	{"turns", func(most int) object { return object{"turnsPerMinutePerApp": most} }, nil, "quick", refilled(same), nil},
	{"requests_tenant", func(most int) object { return object{"requestsPerMinutePerTenant": most} }, nil, "quick", refilled(same), nil},
	{"requests_address", func(most int) object { return object{"requestsPerMinutePerAddress": most} }, nil, "quick", refilled(same), nil},
	{"concurrent_turns", func(most int) object { return object{"concurrentTurns": most} }, nil, "wait", exactly, nil},
	{"tokens_principal", budget("perPrincipal"), nil, "quick", overrun, func(tenant string) string { return tenant + "\x00s" }},
	{"tokens_tenant", budget("perTenant"), nil, "quick", overrun, func(tenant string) string { return tenant }},
	{"limit_principal", nil, func(most int) object { return object{"perPrincipalPerDay": most} }, "choose", windows(24 * time.Hour), nil},
	{"limit_app", nil, func(most int) object { return object{"perAppPerMinute": most} }, "choose", windows(time.Minute), nil},
}

func budget(of string) func(most int) object {
	return func(most int) object {
		return object{"tokens": object{of: object{"max": most * quickTokens, "window": fmt.Sprint(budgetDays, "d")}}}
	}
}

// senders is the number of simultaneous requests.
const senders = 16

// overrun allows for the turns that run when a budget is used up: they are finished.
func overrun(o *limitsOptions, _, _ time.Time) (least, most int) { return o.most, o.most + senders - 1 }

// limits sends more than each limit allows, to all nodes at the same time, and counts the accepted
// requests. An unexpected count is a failure.
func limits(ctx context.Context, o limitsOptions, out io.Writer) error {
	if o.store == sqlite || o.redis == "" {
		o.nodes = 1
	}
	p, err := newPlant(ctx, o.common)
	if err != nil {
		return err
	}
	defer p.close()
	t := newTable(out, "limit", "nodes", "sent", "allowed", "expected", "counted", "time")
	for i := range scopes {
		err := errAlone
		for try := 0; try < tries && errors.Is(err, errAlone); try++ {
			err = o.measure(ctx, p, &scopes[i], t)
		}
		if err != nil {
			return fmt.Errorf("limits: %s: %w", scopes[i].name, err)
		}
	}
	t.end()
	return nil
}

// errAlone reports that a node did not reach Redis in time, and limited on its own: that does not
// measure what nodes share. On a busy machine this happens; the measurement is then repeated.
var errAlone = errors.New("a node could not reach Redis meanwhile, and limited on its own")

const tries = 5

// alone reports whether a node has limited on its own.
func (c *cluster) alone() bool {
	return slices.ContainsFunc(c.nodes, func(n *node) bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.lone > 0
	})
}

// measure uses one limit up, on nodes of its own.
func (o *limitsOptions) measure(ctx context.Context, p *plant, s *scope, t table) error {
	model := modeltest.NewFunc(nil, play)
	defer model.Close()
	// Buckets outlive the nodes in Redis: their holders are new each time.
	holder := "h" + strings.ToLower(rand.Text()[:12])
	c, err := p.clusterWith(ctx, o.nodes, model.URL, time.Second, object{
		"apps/" + holder + ".json": object{"id": holder, "name": holder, "tools": []string{"ask_user"}},
	}, o.settings(s, holder))
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.start(ctx); err != nil {
		return err
	}
	m := &measured{scope: s, app: holder, address: "2001:db8:" + hex.EncodeToString([]byte(holder)[1:3]) + "::1"}
	began := time.Now()
	if err := m.send(ctx, c, o.sent); err != nil {
		return err
	}
	if c.alone() {
		return errAlone
	}
	least, most := s.expect(o, began, time.Now())
	expected := strconv.Itoa(least)
	if most > least {
		expected += " to " + strconv.Itoa(most)
	}
	counted := "-"
	if s.meter != nil {
		used, err := c.used(ctx, s.name, s.meter(holder))
		if err != nil {
			return err
		}
		counted = fmt.Sprintf("%d tokens", used)
		if want := int64(m.allowed) * quickTokens; used != want {
			return fmt.Errorf("%d turns are counted as %d tokens, want %d", m.allowed, used, want)
		}
	}
	t.row(s.name, o.nodes, o.sent, m.allowed, expected, counted, time.Since(began).Round(10*time.Millisecond))
	if m.allowed < least || m.allowed > most || m.allowed+m.refused != o.sent {
		return fmt.Errorf("%d were allowed and %d refused, want %s allowed", m.allowed, m.refused, expected)
	}
	return nil
}

// used returns the store's count for a budget of this command.
func (c *cluster) used(ctx context.Context, name, holder string) (n int64, err error) {
	db, err := sqldb.Open(ctx, c.store, sqldb.Options{})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.Update(ctx, chat.Ref{Tenant: "audit", ChatID: "audit"}, func(tx store.Tx) (err error) {
		n, err = tx.Meters().Used(store.Meter{Name: name, Holder: holder, Start: time.Now().UTC().Truncate(budgetDays * 24 * time.Hour)})
		return err
	})
	return n, err
}

// settings are the keys of gateway.json that set a scope's limit.
func (o *limitsOptions) settings(s *scope, tenant string) object {
	sum := sha256.Sum256([]byte(limitsKey))
	keys := object{
		"auth": object{"mode": "apiKeys", "keys": []object{{
			"id": "k", "hash": "sha256:" + hex.EncodeToString(sum[:]), "tenant": tenant, "subject": "s",
		}}},
		"trustedProxies": []string{"127.0.0.1"},
		"limits":         object{"requestsPerMinute": 0, "concurrentTurns": 0, "streams": 0},
	}
	if s.limits != nil {
		limits := s.limits(o.most)
		for k, v := range keys["limits"].(object) {
			if limits[k] == nil {
				limits[k] = v
			}
		}
		keys["limits"] = limits
	}
	if s.asks != nil {
		keys["clarifications"] = s.asks(o.most)
	}
	return keys
}

// measured are the results of the requests.
type measured struct {
	*scope
	app     string
	address string

	mu               sync.Mutex
	allowed, refused int
}

// send sends n requests to all nodes, each to its own chat.
func (m *measured) send(ctx context.Context, c *cluster, n int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // what still runs, runs until its node is gone
	next := make(chan int)
	var all sync.WaitGroup
	faults := make([]error, senders)
	for i := range faults {
		all.Go(func() {
			for k := range next {
				if err := m.one(ctx, c.nodes[k%len(c.nodes)].url(), k); err != nil && faults[i] == nil {
					faults[i] = err
				}
			}
		})
	}
	for k := range n {
		next <- k
	}
	close(next)
	all.Wait()
	return errors.Join(faults...)
}

// one sends a request, and counts its result.
func (m *measured) one(ctx context.Context, node string, k int) error {
	chat := fmt.Sprint("c", k)
	resp, err := request(ctx, "POST", chatURL(node, m.app, chat)+"/messages", fmt.Sprintf(`{"message":%q}`, m.message+" "+chat),
		"Authorization", "Bearer "+limitsKey, "X-Forwarded-For", m.address)
	var r *refusal
	if errors.As(err, &r) && r.Status == http.StatusTooManyRequests && r.Scope == m.name {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.refused++
		return nil
	} else if err != nil {
		return err
	}
	passed := true
	if m.message != "wait" { // which goes on until it is stopped
		a, err := read(resp.Body, nil)
		if err != nil || a.finish == "" {
			return errors.Join(err, fmt.Errorf("a stream ended with %q", a.finish))
		}
		passed = a.finish == "clarification" || m.message != "choose"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !passed {
		m.refused++
		return nil
	}
	m.allowed++
	return nil
}
