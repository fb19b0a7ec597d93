package follow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// play runs the turns of one chat, each run on any node: a message, texts, calls, their results,
// the end. As in the engine, everything is stored before it is announced, the next run may begin on
// another node as soon as the end is stored, and a turn whose node dies continues from what is
// stored.
type play struct {
	t      *testing.T
	net    *network
	store  store.Store
	now    time.Time
	deaths bool

	turn chat.Turn
	said chat.Message // the step with calls, once it is stored
	step int          // how many parts of the turn are stored
}

// errDied ends a run whose node is gone.
var errDied = errors.New("the node died")

// turns plays a turn to its end, which next receives.
func (p *play) turns(i int, next func()) {
	p.turn = chat.Turn{ID: fmt.Sprint("turn_", i), State: chat.TurnRunning, StartedAt: p.now, LeaseOwner: "node"}
	p.said, p.step = chat.Message{}, 0
	message := &chat.Message{ID: fmt.Sprint("msg_", i), TurnID: p.turn.ID, Role: chat.RoleUser, Content: fmt.Sprint("question ", i), CreatedAt: p.now}
	for p.run(i, message, next) != nil {
		message = nil
		time.Sleep(6 * time.Second) // until its lease has expired
	}
}

// run begins with a message, or takes over the turn.
func (p *play) run(i int, message *chat.Message, next func()) error {
	at := p.net.pick(len(p.net.nodes))
	n := p.net.at(at)
	dies := func() bool {
		if p.deaths && p.net.pick(12) == 0 {
			p.net.start(at)
		}
		return n.life.Err() != nil
	}
	rows := chat.Rows{Opening: &chat.Opening{ChatID: ref.ChatID, TurnID: p.turn.ID, Message: message}}
	var head chat.Conversation
	var before chat.EventID
	if err := p.store.Update(p.t.Context(), ref, func(tx store.Tx) error {
		h := tx.Conversation()
		before = h.LastEvent
		h.Fence++
		h.LastEvent, h.UpdatedAt = chat.EventID{Fence: h.Fence, Seq: rows.Number(0)}, p.now
		head = *h
		if message == nil {
			return nil
		}
		message.Fence = h.Fence
		if err := tx.BeginTurn(p.turn); err != nil {
			return err
		}
		return tx.AppendMessage(*message)
	}); err != nil {
		p.t.Error(err)
		return nil
	}
	time.Sleep(p.net.some(30 * time.Millisecond))
	if dies() {
		return errDied
	}
	rec := stream.NewRecorder(n.Record(head.ID, before, nil), nil, ref.ChatID, head.Fence)
	defer rec.Close()
	tell := func(rows *chat.Rows) {
		rows.ChatID, rows.TurnID, rows.Fence = ref.ChatID, p.turn.ID, head.Fence
		rows.Number(rec.Last().Seq)
		rec.Emit(rows.After(rec.Last())...)
	}
	tell(&rows)
	rec.Flush()

	known := head.LastEvent
	save := func(tx store.RunTx, rows *chat.Rows) error {
		for _, m := range rows.Steps {
			if err := tx.AppendMessage(*m); err != nil {
				return err
			}
		}
		for _, e := range rows.Ended {
			if err := tx.SetResult(e.Call.ID, *e.Result); err != nil {
				return err
			}
		}
		return nil
	}
	commit := func(rows chat.Rows) error {
		tell(&rows)
		if dies() {
			return errDied
		}
		held := store.Held{Ref: ref, ConversationID: head.ID, Fence: head.Fence, Known: known, LastEvent: rec.Last(), UpdatedAt: p.now, Turn: p.turn}
		if err := p.store.UpdateAs(p.t.Context(), held, false, func(tx store.RunTx) error { return save(tx, &rows) }); err != nil {
			p.t.Error(err)
		}
		known = held.LastEvent
		p.step++
		time.Sleep(p.net.some(30 * time.Millisecond))
		if dies() {
			return errDied
		}
		rec.Flush()
		return nil
	}
	say := func(step int) (chat.Message, error) {
		m := chat.Message{ID: fmt.Sprint("msg_", i, "_", step), TurnID: p.turn.ID, Fence: head.Fence, Role: chat.RoleAssistant, CreatedAt: p.now}
		thinks := p.net.pick(2) == 0
		for piece := range 3 {
			time.Sleep(p.net.some(200 * time.Millisecond))
			if dies() {
				return m, errDied
			}
			if thinks && piece < 2 {
				s := fmt.Sprintf("(%d.%d.%d)", i, step, piece)
				rec.Chunk(chat.EventThinking, []byte(s))
				m.Thinking += s
				m.Spans = append(m.Spans, len(s))
			} else {
				m.Spans = append(m.Spans, 0)
			}
			s := fmt.Sprintf("[%d.%d.%d]", i, step, piece)
			rec.Chunk(chat.EventChunk, []byte(s))
			rec.Flush()
			m.Content += s
			m.Spans = append(m.Spans, len(s))
		}
		m.Seq = rec.Last().Seq
		return m, nil
	}
	end := func(rows chat.Rows) error {
		p.turn.State, p.turn.FinishReason, p.turn.LeaseOwner, p.turn.EndedAt = chat.TurnEnded, chat.FinishStop, "", p.now
		rows.Run = &chat.Run{Fence: head.Fence, TurnID: p.turn.ID, FinishReason: chat.FinishStop, StartedAt: p.now, EndedAt: p.now}
		tell(&rows)
		if dies() {
			p.turn.State, p.turn.FinishReason, p.turn.LeaseOwner, p.turn.EndedAt = chat.TurnRunning, "", "node", time.Time{}
			return errDied
		}
		held := store.Held{Ref: ref, ConversationID: head.ID, Fence: head.Fence, Known: known, LastEvent: rec.Last(), UpdatedAt: p.now, Turn: p.turn}
		if err := p.store.UpdateAs(p.t.Context(), held, false, func(tx store.RunTx) error {
			if err := save(tx, &rows); err != nil {
				return err
			}
			return tx.SaveRun(*rows.Run)
		}); err != nil {
			p.t.Error(err)
		}
		next()
		time.Sleep(p.net.some(100 * time.Millisecond))
		if !dies() {
			rec.Publish(true)
		}
		return nil
	}
	if p.step == 0 {
		m, err := say(1)
		if err != nil {
			return err
		}
		for k := range 2 {
			m.ToolCalls = append(m.ToolCalls, chat.ToolCall{ID: fmt.Sprint("call_", i, "_", k), Name: "clock", Arguments: "{}"})
		}
		p.said = m
		if err := commit(chat.Rows{Steps: []*chat.Message{&m}}); err != nil {
			return err
		}
	}
	if p.step == 1 {
		var results chat.Rows
		for _, k := range p.net.perm(len(p.said.ToolCalls)) { // they end in any order
			results.Ended = append(results.Ended, chat.Ended{Call: &p.said.ToolCalls[k], Result: &chat.ToolResult{Content: "noon", Fence: head.Fence}})
		}
		if p.net.pick(2) == 0 { // they are the last, as when a turn has no more steps
			return end(results)
		}
		if err := commit(results); err != nil {
			return err
		}
	}
	m, err := say(2)
	if err != nil {
		return err
	}
	return end(chat.Rows{Steps: []*chat.Message{&m}})
}

// onlooker reduces what it is shown to lines: one per message, with its calls.
type onlooker struct {
	mu    sync.Mutex
	lines []string
	said  [2]string // thinking and text of the last line, which events deliver alternately
	text  bool      // the last line is a text that may go on
	last  string
	trail []string
	told  strings.Builder // all frames but snapshots
}

func (o *onlooker) Write(events stream.Events) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for ev, err := range sse.Read(bytes.NewReader(events.Frames)) {
		if err != nil {
			return err
		}
		o.trail = append(o.trail, ev.ID+" "+ev.Name)
		o.last = ev.ID
		var data struct {
			Content    string
			ToolCallID string
			Messages   []chat.SnapshotMessage
		}
		if err := json.Unmarshal(ev.Data, &data); err != nil {
			return err
		}
		if ev.Name != "snapshot" {
			fmt.Fprintf(&o.told, "id: %s\nevent: %s\ndata: %s\n\n", ev.ID, ev.Name, ev.Data)
		}
		switch chat.EventType(ev.Name) {
		case "snapshot":
			o.lines, o.text = linesOf(data.Messages), false
		case chat.EventUserMessage:
			o.lines, o.text = append(o.lines, "user "+data.Content), false
		case chat.EventChunk, chat.EventThinking:
			if !o.text {
				o.lines, o.said = append(o.lines, ""), [2]string{}
			}
			which := 0
			if ev.Name == string(chat.EventChunk) {
				which = 1
			}
			o.said[which] += data.Content
			o.lines[len(o.lines)-1] = "assistant " + o.said[0] + o.said[1]
			o.text = true
		case chat.EventStepRestart:
			if o.text {
				o.lines, o.text = o.lines[:len(o.lines)-1], false
			}
		case chat.EventToolCallStart:
			o.lines[len(o.lines)-1] += " " + data.ToolCallID
			o.text = false
		case chat.EventToolCallEnd:
			for i, line := range o.lines {
				o.lines[i] = strings.Replace(line, data.ToolCallID, data.ToolCallID+"=noon", 1)
			}
			o.text = false
		}
	}
	return nil
}

func linesOf(messages []chat.SnapshotMessage) (lines []string) {
	for _, m := range messages {
		line := string(m.Role) + " " + m.Thinking + m.Content
		for _, c := range m.ToolCalls {
			if line += " " + c.ToolCallID; c.Result != nil {
				line += "=" + *c.Result
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// replayed returns everything that the store shows of the chat to a new viewer.
func replayed(t *testing.T, kept store.Store) string {
	t.Helper()
	r := follow.Reader{Store: kept, Hub: stream.NewPartial(), Shared: true}
	head, _, err := kept.Conversation(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.Follow(t.Context(), ref, 10, chat.EventID{Fence: 1}.String())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var all frames
	if err := f.Begin(&all); err != nil {
		t.Fatal(err)
	}
	_ = f.Stream(ctx, &all)
	if !strings.Contains(all.String(), "id: "+head.LastEvent.String()+"\n") {
		t.Errorf("the store shows %d bytes, without the last event", all.Len())
	}
	return all.String()
}

// lostText reports whether the event belongs to a text that a node may have published but, because
// it died, not stored.
func lostText(what string) bool {
	return strings.HasPrefix(what, string(chat.EventChunk)) || strings.HasPrefix(what, string(chat.EventThinking))
}

// look follows the chat on one node, and reconnects where the stream ends, until ctx ends.
func (o *onlooker) look(ctx context.Context, kept store.Store, net *network, node int) {
	for ctx.Err() == nil {
		n := net.at(node)
		r := &follow.Reader{Store: &slow{kept, net}, Hub: n, Shared: true}
		o.mu.Lock()
		last := o.last
		o.mu.Unlock()
		if f, err := r.Follow(ctx, ref, 10, last); err == nil {
			some, cancel := context.WithCancel(ctx)
			gone := context.AfterFunc(n.life, cancel)
			if net.pick(3) == 0 { // it is cut off
				some, cancel = context.WithTimeout(some, time.Second+net.some(2*time.Second))
			}
			if f.Begin(o) == nil {
				_ = f.Stream(some, o)
			}
			gone()
			cancel()
			f.Close()
		}
		time.Sleep(50*time.Millisecond + net.some(500*time.Millisecond))
	}
}

// TestOnlookersOfAllNodesSeeWhatIsStored: whatever the timing of commits, events and viewers on
// several nodes, even if events are lost between nodes or nodes die, all viewers end up seeing what
// is stored. An event with an id is the same for all who see it, live or from the store, and
// nothing is shown twice.
func TestOnlookersOfAllNodesSeeWhatIsStored(t *testing.T) {
	const nodes, viewers, turns, seeds = 3, 6, 5, 100
	for seed := range uint64(seeds) {
		synctest.Test(t, func(t *testing.T) {
			net := &network{luck: rand.New(rand.NewPCG(seed, 1)), lossy: seed%3 == 2, nodes: make([]*node, nodes)}
			for i := range nodes {
				net.start(i)
			}
			p := &play{t: t, net: net, store: testdb.Open(t), now: time.UnixMilli(1_800_000_000_000), deaths: seed%2 == 1}
			ctx, cancel := context.WithCancel(t.Context())
			var all sync.WaitGroup
			looking := make([]*onlooker, viewers)
			for i := range looking {
				looking[i] = &onlooker{}
				all.Go(func() {
					time.Sleep(net.some(3 * time.Second))
					looking[i].look(ctx, p.store, net, i%nodes)
				})
			}
			for i := range turns {
				next := make(chan struct{})
				of := *p
				all.Go(func() { of.turns(i, func() { close(next) }) })
				<-next
				time.Sleep(net.some(50 * time.Millisecond))
			}
			time.Sleep(time.Minute)
			r := follow.Reader{Store: p.store, Hub: net.at(0), Shared: true}
			s, err := r.Snapshot(t.Context(), ref, 10, 200, "")
			if err != nil {
				t.Fatal(err)
			}
			stored := byPlace(t, replayed(t, p.store))
			for i, o := range looking {
				o.mu.Lock()
				for at, what := range byPlace(t, o.told.String()) {
					if is, ok := stored[at]; ok && is != what || !ok && !lostText(what) {
						t.Errorf("seed %d: viewer %d of node %d got %q at %v, the store has %q", seed, i, i%nodes, what, at, is)
					}
				}
				if want := linesOf(s.Messages); !slices.Equal(o.lines, want) {
					t.Errorf("seed %d: viewer %d of node %d sees\n%s\nwant\n%s\nof\n%s", seed, i, i%nodes,
						strings.Join(o.lines, "\n"), strings.Join(want, "\n"), strings.Join(o.trail, "\n"))
				}
				o.mu.Unlock()
			}
			cancel()
			all.Wait()
		})
		if t.Failed() {
			return
		}
	}
}
