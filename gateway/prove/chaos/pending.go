package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/tools"
)

// pendingOptions are the options of the pending command.
type pendingOptions struct {
	common
	questions int           // that wait for good
	expiring  int           // that expire within a minute
	over      time.Duration // the minute
}

const (
	calm      = 15 * time.Second       // over which an idle node is looked at
	leadTime  = 8 * time.Second        // from a start to the first expiry
	fillTime  = 2 * time.Millisecond   // at most, for one chat
	probeRest = 100 * time.Millisecond // between two new chats that are timed
	closeIn   = 5 * time.Second        // the contract's limit for how soon a question is closed after it expired
)

// pending measures the cost of waiting questions for a node, and the effect on other work while
// many of them expire.
func pending(ctx context.Context, o pendingOptions, out io.Writer) error {
	p, err := newPlant(ctx, o.common)
	if err != nil {
		return err
	}
	defer p.close()
	model := modeltest.NewFunc(nil, play)
	defer model.Close()
	c, err := p.cluster(ctx, 1, model.URL, time.Second)
	if err != nil {
		return err
	}
	defer c.close()
	n := c.nodes[0]

	empty, idle, err := o.measure(ctx, n, "empty")
	if err != nil {
		return err
	}
	started := time.Now()
	if err := fill(ctx, c.store, "waiting", o.questions, func(int) time.Time { return time.Time{} }); err != nil {
		return err
	}
	filled := time.Since(started)
	full, busy, err := o.measure(ctx, n, "full")
	if err != nil {
		return err
	}
	t := newTable(out, "store", "pending", "memory", "goroutines", "first chunk p50", "p99", "filled in")
	t.row(o.store, 0, mib(empty.memory), empty.goroutines, quantile(idle, 0.50), quantile(idle, 0.99), "")
	t.row(o.store, o.questions, mib(full.memory), full.goroutines, quantile(busy, 0.50), quantile(busy, 0.99), filled.Round(time.Second))
	t.end()
	if o.expiring == 0 {
		return nil
	}
	return o.burst(ctx, c, idle, out)
}

func mib(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// cost is the resource usage of a process.
type cost struct {
	memory     int64 // bytes that the kernel cannot take back
	goroutines int
}

// measure starts the node, lets it idle, measures it, times new chats and ends it.
func (o *pendingOptions) measure(ctx context.Context, n *node, name string) (cost, []time.Duration, error) {
	l, err := n.start(ctx)
	if err != nil {
		return cost{}, nil, err
	}
	defer n.stop()
	select {
	case <-time.After(calm):
	case <-ctx.Done():
		return cost{}, nil, ctx.Err()
	}
	c, err := l.cost(ctx)
	if err != nil {
		return c, nil, err
	}
	times, err := probe(ctx, l.URL, name, time.Now().Add(calm))
	return c, times, err
}

// probe times the first chunk of new chats until then; the times are sorted.
func probe(ctx context.Context, url, name string, until time.Time) ([]time.Duration, error) {
	var times []time.Duration
	for i := 0; time.Now().Before(until); i++ {
		took, err := firstChunk(ctx, chatURL(url, appTalk, fmt.Sprintf("%s-%d", name, i)))
		if err != nil {
			return nil, err
		}
		times = append(times, took)
		time.Sleep(probeRest)
	}
	slices.Sort(times)
	return times, nil
}

// held returns the memory of the process that the kernel cannot take back, in bytes: its own and
// what it shares. Pages of the binary (some 50 MiB) count as resident as well, but they are dropped
// and read again as needed: no container is killed for them.
func (l *life) held() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", l.PID()))
	if err != nil {
		return 0, err
	}
	var sum int64
	found := false
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		if name != "RssAnon" && name != "RssShmem" {
			continue
		}
		kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		if err != nil {
			return 0, err
		}
		sum, found = sum+kib<<10, true
	}
	if !found {
		return 0, errors.New("the process has no memory any more")
	}
	return sum, nil
}

// cost measures the process from outside.
func (l *life) cost(ctx context.Context) (cost, error) {
	var c cost
	var err error
	if c.memory, err = l.held(); err != nil {
		return c, err
	}
	resp, err := request(ctx, "GET", l.URL+"/metrics", "")
	if err != nil {
		return c, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "go_goroutines "); ok {
			c.goroutines, err = strconv.Atoi(value)
			return c, err
		}
	}
	return c, errors.Join(errors.New("/metrics has no go_goroutines"), lines.Err())
}

// fillers is how many goroutines fill a store at the same time.
const fillers = 8

// fill stores chats with one pending question each, as turns leave them.
func fill(ctx context.Context, url, name string, count int, expires func(i int) time.Time) error {
	db, err := sqldb.Open(ctx, url, sqldb.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	var all sync.WaitGroup
	faults := make([]error, fillers)
	for f := range faults {
		all.Go(func() {
			for i := f; i < count && faults[f] == nil; i += fillers {
				faults[f] = db.UpdateLazily(ctx, filledRef(name, i), func(tx store.Tx) error { return asked(tx, expires(i)) })
			}
		})
	}
	all.Wait()
	return errors.Join(faults...)
}

// filledRef names a chat of those who call without a key.
func filledRef(name string, i int) chat.Ref {
	return chat.Ref{Tenant: "default", Subject: "anonymous", App: appTalk, ChatID: fmt.Sprintf("%s-%d", name, i)}
}

// asked makes a new chat one whose turn waits for an answer.
func asked(tx store.Tx, expires time.Time) error {
	now := time.Now()
	head := tx.Conversation()
	head.Fence, head.Language, head.UpdatedAt = chat.FirstFence(now), "en", now
	head.LastEvent = chat.EventID{Fence: head.Fence, Seq: 6}
	turn := chat.Turn{
		ID: chat.NewID("turn"), ConversationID: head.ID, State: chat.TurnPaused, Language: "en", Interactive: true, Steps: 1, StartedAt: now,
	}
	said := chat.Message{
		ID: chat.NewID("msg"), TurnID: turn.ID, Fence: head.Fence, Role: chat.RoleUser, Content: "compute", CreatedAt: now,
	}
	step := chat.Message{
		ID: chat.NewID("msg"), TurnID: turn.ID, Fence: head.Fence, Role: chat.RoleAssistant, Content: "Let me see.", CreatedAt: now,
		ToolCalls: []chat.ToolCall{{ID: callID("filled", 1, 0, 0), Name: "ask_user", Arguments: askText}},
	}
	question := chat.Clarification{
		ID: chat.NewID("clr"), ConversationID: head.ID, Ref: head.Ref, TurnID: turn.ID, ToolCallID: callID("filled", 1, 0, 0),
		ToolName: "ask_user", Arguments: askText, Number: 1, Max: 10, State: tools.StatePending,
		Question:   tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{Question: "What is your name?", InputType: tools.Text}}, MaxAnswer: 4000},
		AskedFence: head.Fence, AskedAt: now, ExpiresAt: expires,
	}
	return errors.Join(tx.BeginTurn(turn), tx.AppendMessage(said), tx.AppendMessage(step), tx.AddClarification(question),
		tx.SaveRun(chat.Run{
			ConversationID: head.ID, Fence: head.Fence, TurnID: turn.ID, FinishReason: chat.FinishClarification, LastSeq: 6, StartedAt: now, EndedAt: now,
		}))
}

// burst lets many questions expire within a short time, and times new chats meanwhile.
func (o *pendingOptions) burst(ctx context.Context, c *cluster, idle []time.Duration, out io.Writer) error {
	first := time.Now().Add(leadTime + time.Duration(o.expiring)*fillTime)
	if err := fill(ctx, c.store, "expiring", o.expiring, func(i int) time.Time {
		return first.Add(o.over * time.Duration(i) / time.Duration(o.expiring))
	}); err != nil {
		return err
	}
	if time.Until(first) < leadTime/2 {
		return errors.New("pending: filling the store took longer than it may")
	}
	db, err := sqldb.Open(ctx, c.store, sqldb.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	l, err := c.nodes[0].start(ctx)
	if err != nil {
		return err
	}
	defer c.nodes[0].stop()
	select {
	case <-time.After(time.Until(first)):
	case <-ctx.Done():
		return ctx.Err()
	}
	times, err := probe(ctx, l.URL, "burst", first.Add(o.over))
	if err != nil {
		return err
	}
	var late []time.Duration
	var ended time.Time
	for i := range o.expiring {
		at, over, err := closed(ctx, db, filledRef("expiring", i))
		if err != nil {
			return err
		}
		late = append(late, at)
		if over.After(ended) {
			ended = over
		}
	}
	slices.Sort(late)
	most := late[len(late)-1]
	t := newTable(out, "store", "expired", "within", "closed late by p50", "p99", "most", "last turn ended after",
		"first chunk meanwhile p50", "p99", "ratio of p50 to idle", "of p99")
	t.row(o.store, o.expiring, o.over, quantile(late, 0.50), quantile(late, 0.99), most.Round(time.Millisecond),
		ended.Sub(first).Round(100*time.Millisecond), quantile(times, 0.50), quantile(times, 0.99),
		ratio(quantile(times, 0.50), quantile(idle, 0.50)), ratio(quantile(times, 0.99), quantile(idle, 0.99)))
	t.end()
	if most > closeIn {
		return fmt.Errorf("pending: a question was closed %s after it had expired; the limit is %s", most.Round(time.Millisecond), closeIn)
	}
	return nil
}

func ratio(a, b time.Duration) string { return fmt.Sprintf("%.2f", float64(a)/float64(b)) }

// closed waits until an expired question's turn has ended, and returns how late the question was
// closed and when the turn ended.
func closed(ctx context.Context, db store.Reader, ref chat.Ref) (late time.Duration, ended time.Time, err error) {
	err = wait(ctx, "an expired question's turn ends", func(ctx context.Context) (bool, error) {
		view, err := db.View(ctx, ref)
		if err != nil {
			return false, err
		}
		c := view.Clarifications[0]
		if c.State != tools.StateExpired || view.Turn.State != chat.TurnEnded {
			return false, nil
		}
		late, ended = c.AnsweredAt.Sub(c.ExpiresAt), view.Turn.EndedAt
		return true, nil
	})
	return late, ended, err
}
