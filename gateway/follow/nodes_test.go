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

// play drives turns of one chat, each run on any node: a message, texts, calls, their results, the
// end. As in the engine, what is announced is stored first, the next run may begin on another node
// as soon as the end is stored, and a turn whose node dies goes on where it is stored to be.
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

// turns plays a turn to its end, which next is told of.
func (p *play) turns(i int, next func()) {
	p.turn = chat.Turn{ID: fmt.Sprint("turn_", i), State: chat.TurnRunning, StartedAt: p.now, LeaseOwner: "node"}
	p.said, p.step = chat.Message{}, 0
	message := &chat.Message{ID: fmt.Sprint("msg_", i), TurnID: p.turn.ID, Role: chat.RoleUser, Content: fmt.Sprint("question ", i), CreatedAt: p.now}
	for p.run(i, message, next) != nil {
		message = nil
		time.Sleep(6 * time.Second) // until its lease has lapsed
	}
}

// run begins with a message, or takes the turn over.
func (p *play) run(i int, message *chat.Message, next func()) error {
	at := p.net.pick(len(p.net.nodes))
	n := p.net.at(at)
	dies := func() bool {
		if p.deaths && p.net.pick(12) == 0 {
			p.net.start(at)
		}
		return n.life.Err() != nil
	}
	opening := chat.Opening{ChatID: ref.ChatID, TurnID: p.turn.ID, Message: message}
	var head chat.Conversation
	var before chat.EventID
	if err := p.store.Update(p.t.Context(), ref, func(tx store.Tx) error {
		h := tx.Conversation()
		before = h.LastEvent
		h.Fence++
		h.LastEvent, h.UpdatedAt = chat.EventID{Fence: h.Fence, Seq: int64(len(opening.Events()))}, p.now
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
	for _, ev := range opening.Events() {
		rec.Event(ev)
	}
	rec.Flush()

	known := head.LastEvent
	commit := func(change func(tx store.RunTx) error) error {
		if dies() {
			return errDied
		}
		held := store.Held{Ref: ref, ConversationID: head.ID, Fence: head.Fence, Known: known, LastEvent: rec.Last(), UpdatedAt: p.now, Turn: p.turn}
		if err := p.store.UpdateAs(p.t.Context(), held, false, change); err != nil {
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
			}
			s := fmt.Sprintf("[%d.%d.%d]", i, step, piece)
			rec.Chunk(chat.EventChunk, []byte(s))
			rec.Flush()
			m.Content += s
		}
		return m, nil
	}
	end := func(change func(tx store.RunTx) error) error {
		p.turn.State, p.turn.FinishReason, p.turn.LeaseOwner, p.turn.EndedAt = chat.TurnEnded, chat.FinishStop, "", p.now
		rec.Event(chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: ref.ChatID, TurnID: p.turn.ID, FinishReason: chat.FinishStop}})
		if dies() {
			p.turn.State, p.turn.FinishReason, p.turn.LeaseOwner, p.turn.EndedAt = chat.TurnRunning, "", "node", time.Time{}
			return errDied
		}
		held := store.Held{Ref: ref, ConversationID: head.ID, Fence: head.Fence, Known: known, LastEvent: rec.Last(), UpdatedAt: p.now, Turn: p.turn}
		if err := p.store.UpdateAs(p.t.Context(), held, false, func(tx store.RunTx) error {
			if err := change(tx); err != nil {
				return err
			}
			return tx.SaveRun(chat.Run{Fence: head.Fence, TurnID: p.turn.ID, FinishReason: chat.FinishStop, LastSeq: rec.Last().Seq, StartedAt: p.now, EndedAt: p.now})
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
			rec.Event(chat.NewToolCallStart(ref.ChatID, &m.ToolCalls[k]))
		}
		p.said = m
		if err := commit(func(tx store.RunTx) error { return tx.AppendMessage(m) }); err != nil {
			return err
		}
	}
	if p.step == 1 {
		for k := range p.said.ToolCalls {
			rec.Event(chat.NewToolCallEnd(ref.ChatID, &p.said.ToolCalls[k], &chat.ToolResult{Content: "noon"}))
		}
		results := func(tx store.RunTx) error {
			for k := range p.said.ToolCalls {
				if err := tx.SetResult(p.said.ToolCalls[k].ID, chat.ToolResult{Content: "noon", Fence: head.Fence}); err != nil {
					return err
				}
			}
			return nil
		}
		if p.net.pick(2) == 0 { // they are the last, as where a turn has no more steps
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
	return end(func(tx store.RunTx) error { return tx.AppendMessage(m) })
}

// onlooker reduces what it is shown to lines, one a message, with its calls.
type onlooker struct {
	mu    sync.Mutex
	lines []string
	said  [2]string // thinking and text of the last line, which events tell by turns
	text  bool      // the last line is a text that may go on
	last  string
	trail []string
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

// look follows the chat on one node, and comes back where the stream ends, until ctx ends.
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
// several nodes, also where events are lost between nodes, or nodes die, all come to see what is
// stored.
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
			for i, o := range looking {
				o.mu.Lock()
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
