package follow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
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

// network stands for what connects the hubs of nodes: what one of them records reaches the
// others later, and stays for those that ask for it, as in package redishub.
type network struct {
	mu      sync.Mutex
	luck    *rand.Rand
	entries []stream.Batch // of the one topic
	nodes   []*node
	lossy   bool // some batches get lost on their way
}

// some is a random time below d, often none.
func (n *network) some(d time.Duration) time.Duration {
	if n.pick(3) == 0 {
		return 0
	}
	return time.Duration(n.pick(int(d)))
}

func (n *network) pick(of int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.luck.IntN(of)
}

func (n *network) history() []stream.Batch {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.entries)
}

func (n *network) deliver(b stream.Batch) {
	if n.lossy && n.pick(10) == 0 {
		return
	}
	n.mu.Lock()
	if k := len(n.entries); k > 0 && !n.entries[k-1].Last.Less(b.Last) {
		n.mu.Unlock()
		return // as Redis refuses it
	}
	n.entries = append(n.entries, b)
	nodes := slices.Clone(n.nodes)
	n.mu.Unlock()
	for _, of := range nodes {
		of.mu.Lock()
		m := of.mirror
		of.mu.Unlock()
		if m != nil {
			m.Append(b)
		}
	}
}

// node is the hub of one node.
type node struct {
	*stream.Local
	net    *network
	mu     sync.Mutex
	mirror *stream.Mirror
	refs   int
}

func (n *node) Complete() bool { return true }

func (n *node) Follow(topic string) stream.Follower {
	n.mu.Lock()
	first := n.refs == 0
	n.refs++
	if first {
		var m *stream.Mirror
		m = n.Local.Mirror(topic, func() { go n.mend(m) })
		m.Forget()
		n.mirror = m
	}
	m := n.mirror
	n.mu.Unlock()
	if first {
		time.Sleep(n.net.some(20 * time.Millisecond))
		m.Extend(n.net.history(), false)
	}
	return &following{n.Local.Follow(topic), n}
}

func (n *node) mend(m *stream.Mirror) {
	for i, pause := range []time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond} {
		time.Sleep(pause)
		if m.Extend(n.net.history(), i < 2) {
			return
		}
	}
}

type following struct {
	stream.Follower
	node *node
}

func (f *following) Close() {
	f.Follower.Close()
	f.node.mu.Lock()
	defer f.node.mu.Unlock()
	if f.node.refs--; f.node.refs == 0 {
		f.node.mirror.Close()
		f.node.mirror = nil
	}
}

// shipped is a run's log, of which the other nodes hear later.
type shipped struct {
	stream.Log
	after chat.EventID
	out   chan stream.Batch
}

func (n *node) Record(topic string, after chat.EventID, stop func()) stream.Log {
	l := &shipped{n.Local.Record(topic, after, stop), after, make(chan stream.Batch, 1000)}
	slow := n.net.pick(3) == 0
	go func() {
		for b := range l.out {
			if slow {
				time.Sleep(n.net.some(300 * time.Millisecond))
			}
			n.net.deliver(b)
		}
	}()
	return l
}

func (l *shipped) Append(b stream.Batch) {
	b.Frames = bytes.Clone(b.Frames)
	l.Log.Append(b)
	if b.First.Seq == 1 {
		b.After = l.after
	}
	l.out <- b
}

func (l *shipped) Close() {
	l.Log.Close()
	close(l.out)
}

// slow is a store whose answers are on their way for a while.
type slow struct {
	store.Store
	net *network
}

func (s *slow) late() { time.Sleep(s.net.some(40 * time.Millisecond)) }

func (s *slow) Conversation(ctx context.Context, of chat.Ref) (*chat.Conversation, *chat.Turn, error) {
	defer s.late()
	return s.Store.Conversation(ctx, of)
}

func (s *slow) View(ctx context.Context, of chat.Ref) (*store.View, error) {
	defer s.late()
	return s.Store.View(ctx, of)
}

func (s *slow) ViewPart(ctx context.Context, of chat.Ref, part store.Part) (*store.View, error) {
	defer s.late()
	return s.Store.ViewPart(ctx, of, part)
}

func (s *slow) Run(ctx context.Context, conversationID string, fence int64) (chat.Run, error) {
	defer s.late()
	return s.Store.Run(ctx, conversationID, fence)
}

// play drives turns of one chat, each on any node: a message, texts, calls, their results, the
// end. As in the engine, what is announced is stored first, and the next run may begin on
// another node as soon as the end is stored.
type play struct {
	t     *testing.T
	net   *network
	store store.Store
	now   time.Time
}

func (p *play) run(i int, stored func()) {
	turn := chat.Turn{ID: fmt.Sprint("turn_", i), State: chat.TurnRunning, StartedAt: p.now, LeaseOwner: "node"}
	message := chat.Message{ID: fmt.Sprint("msg_", i), TurnID: turn.ID, Role: chat.RoleUser, Content: fmt.Sprint("question ", i), CreatedAt: p.now}
	var head chat.Conversation
	var before chat.EventID
	if err := p.store.Update(p.t.Context(), ref, func(tx store.Tx) error {
		h := tx.Conversation()
		before = h.LastEvent
		h.Fence++
		h.LastEvent, h.UpdatedAt, message.Fence = chat.EventID{Fence: h.Fence, Seq: 2}, p.now, h.Fence
		head = *h
		if err := tx.BeginTurn(turn); err != nil {
			return err
		}
		return tx.AppendMessage(message)
	}); err != nil {
		p.t.Error(err)
		return
	}
	fence := head.Fence
	time.Sleep(p.net.some(30 * time.Millisecond))
	n := p.net.nodes[p.net.pick(len(p.net.nodes))]
	rec := stream.NewRecorder(n.Record(head.ID, before, nil), nil, ref.ChatID, fence)
	opening := chat.Opening{ChatID: ref.ChatID, TurnID: turn.ID, Message: &message}
	for _, ev := range opening.Events() {
		rec.Event(ev)
	}
	rec.Flush()

	commit := func(change func(tx store.RunTx) error) {
		held := store.Held{Ref: ref, ConversationID: head.ID, Fence: fence, LastEvent: rec.Last(), UpdatedAt: p.now, Turn: turn}
		if err := p.store.UpdateAs(p.t.Context(), held, false, change); err != nil {
			p.t.Error(err)
		}
		time.Sleep(p.net.some(30 * time.Millisecond))
	}
	say := func(step int) string {
		text := ""
		for piece := range 3 {
			time.Sleep(p.net.some(200 * time.Millisecond))
			s := fmt.Sprintf("[%d.%d.%d]", i, step, piece)
			rec.Chunk(chat.EventChunk, []byte(s))
			rec.Flush()
			text += s
		}
		return text
	}
	said := chat.Message{
		ID: fmt.Sprint("msg_", i, "_1"), TurnID: turn.ID, Fence: fence, Role: chat.RoleAssistant, Content: say(1), CreatedAt: p.now,
		ToolCalls: []chat.ToolCall{{ID: fmt.Sprint("call_", i, "_1"), Name: "clock", Arguments: "{}"}, {ID: fmt.Sprint("call_", i, "_2"), Name: "clock", Arguments: "{}"}},
	}
	for k := range said.ToolCalls {
		rec.Event(chat.NewToolCallStart(ref.ChatID, &said.ToolCalls[k]))
	}
	commit(func(tx store.RunTx) error { return tx.AppendMessage(said) })
	rec.Flush()
	finish := func(change func(tx store.RunTx) error) {
		turn.State, turn.FinishReason, turn.LeaseOwner, turn.EndedAt = chat.TurnEnded, chat.FinishStop, "", p.now
		rec.Event(chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: ref.ChatID, TurnID: turn.ID, FinishReason: chat.FinishStop}})
		commit(func(tx store.RunTx) error {
			if err := change(tx); err != nil {
				return err
			}
			return tx.SaveRun(chat.Run{Fence: fence, TurnID: turn.ID, FinishReason: chat.FinishStop, LastSeq: rec.Last().Seq, StartedAt: p.now, EndedAt: p.now})
		})
		stored()
		time.Sleep(p.net.some(100 * time.Millisecond))
		rec.Publish(true)
		rec.Flush()
		rec.Close()
	}
	results := func(tx store.RunTx) error {
		for k := range said.ToolCalls {
			if err := tx.SetResult(said.ToolCalls[k].ID, chat.ToolResult{Content: "noon", Fence: fence}); err != nil {
				return err
			}
		}
		return nil
	}
	for k := range said.ToolCalls {
		rec.Event(chat.NewToolCallEnd(ref.ChatID, &said.ToolCalls[k], &chat.ToolResult{Content: "noon"}))
	}
	if p.net.pick(2) == 0 { // the results are the last, as where a turn has no more steps
		finish(results)
		return
	}
	commit(results)
	rec.Flush()
	last := chat.Message{ID: fmt.Sprint("msg_", i, "_2"), TurnID: turn.ID, Fence: fence, Role: chat.RoleAssistant, Content: say(2), CreatedAt: p.now}
	finish(func(tx store.RunTx) error { return tx.AppendMessage(last) })
}

// onlooker reduces what it is shown to lines, one a message, with its calls.
type onlooker struct {
	mu    sync.Mutex
	lines []string
	text  bool // the last line is a text that may go on
	last  string
	trail []string
}

func (o *onlooker) Write(frames []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for ev, err := range sse.Read(bytes.NewReader(frames)) {
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
		case chat.EventChunk:
			if !o.text {
				o.lines = append(o.lines, "assistant ")
			}
			o.lines[len(o.lines)-1] += data.Content
			o.text = true
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
		line := string(m.Role) + " " + m.Content
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
func (o *onlooker) look(ctx context.Context, r *follow.Reader, net *network) {
	for ctx.Err() == nil {
		o.mu.Lock()
		last := o.last
		o.mu.Unlock()
		if f, err := r.Follow(ctx, ref, 10, last); err == nil {
			some, cancel := ctx, context.CancelFunc(func() {})
			if net.pick(3) == 0 { // it is cut off
				some, cancel = context.WithTimeout(ctx, time.Second+net.some(2*time.Second))
			}
			if f.Begin(o) == nil {
				_ = f.Stream(some, o)
			}
			cancel()
			f.Close()
		}
		time.Sleep(50*time.Millisecond + net.some(500*time.Millisecond))
	}
}

// TestOnlookersOfAllNodesSeeWhatIsStored: whatever the timing of commits, events and viewers on
// several nodes, and also where events are lost between nodes, all come to see what is stored.
func TestOnlookersOfAllNodesSeeWhatIsStored(t *testing.T) {
	const nodes, viewers, turns, seeds = 3, 6, 5, 100
	for seed := range uint64(seeds) {
		synctest.Test(t, func(t *testing.T) {
			net := &network{luck: rand.New(rand.NewPCG(seed, 1)), lossy: seed%3 == 2}
			for range nodes {
				net.nodes = append(net.nodes, &node{Local: stream.NewLocal(), net: net})
			}
			p := &play{t: t, net: net, store: testdb.Open(t), now: time.UnixMilli(1_800_000_000_000)}
			ctx, cancel := context.WithCancel(t.Context())
			var all sync.WaitGroup
			looking := make([]*onlooker, viewers)
			for i := range looking {
				looking[i] = &onlooker{}
				r := &follow.Reader{Store: &slow{p.store, net}, Hub: net.nodes[i%nodes], Shared: true}
				all.Go(func() {
					time.Sleep(net.some(3 * time.Second))
					looking[i].look(ctx, r, net)
				})
			}
			for i := range turns {
				next := make(chan struct{})
				all.Go(func() { p.run(i, func() { close(next) }) })
				<-next
				time.Sleep(net.some(50 * time.Millisecond))
			}
			time.Sleep(time.Minute)
			r := follow.Reader{Store: p.store, Hub: net.nodes[0], Shared: true}
			s, _, err := r.Snapshot(t.Context(), ref, 10, 200, "")
			if err != nil {
				t.Fatal(err)
			}
			for i, o := range looking {
				o.mu.Lock()
				if want := linesOf(s.Messages); !reflect.DeepEqual(o.lines, want) {
					t.Errorf("seed %d: viewer %d of node %d sees\n%s\nwant\n%s\nof\n%s", seed, i, i%nodes,
						strings.Join(o.lines, "\n"), strings.Join(want, "\n"), strings.Join(o.trail, "\n"))
				}
				o.mu.Unlock()
			}
			cancel()
			all.Wait()
		})
	}
}
