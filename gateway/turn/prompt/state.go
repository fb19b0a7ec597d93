package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
)

// Models that hand out state sign it, and some sign everything before it as well: system prompt,
// tools and messages. If that has changed, they refuse or ignore the state. All earlier state is
// then left out, in one piece, because a gap counts as a change, too (Anthropic's docs, preserved
// thinking, November 2026). Text and calls are sent all the same.

// beginning identifies how a request begins. from is the position of its first message; dropped are
// the files that are no longer shown.
func beginning(system string, tools []model.Definition, from int64, dropped []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\x00", from)
	_, _ = io.WriteString(h, system) // writing to a hash never fails
	for i := range tools {
		d := &tools[i]
		fmt.Fprintf(h, "\x00%s\x00%s\x00%s", d.Name, d.Description, d.Parameters)
	}
	for _, id := range dropped {
		fmt.Fprintf(h, "\x00%s", id)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// opens compares how the request begins with how the requests began for which the chat's state was
// made. For a model that hands out no state, it compares nothing.
func (b *Builder) opens(sent *Sent, req *model.Request) {
	sent.system, sent.tools = req.System, req.Tools
	w := sent.of
	if w.Prefix == "" {
		return
	}
	if now := b.prefix(sent); now != w.Prefix {
		b.forget(w, "the system prompt, the tools or the first message that is sent has changed")
		w.Prefix, w.changed = now, true
	}
}

// instructed returns the turn whose message is sent with the instructions of the client's program.
// Messages of earlier turns are sent without theirs, and so not as they were when state was made.
func (b *Builder) instructed() []string {
	if slices.ContainsFunc(b.history.View.Messages, func(m chat.Message) bool { return m.Instructions != "" }) {
		return []string{b.Turn.ID}
	}
	return nil
}

func (b *Builder) prefix(sent *Sent) string {
	if sent.prefix == "" {
		sent.prefix = beginning(sent.system, sent.tools, b.shown.begins(sent.from), slices.Concat(sent.dropped, b.instructed()))
	}
	return sent.prefix
}

// forget leaves the state of all messages so far out of what a model is sent, from now on.
func (b *Builder) forget(w *fitting, why string) {
	next := b.history.Next()
	if w.StateFrom == next {
		return
	}
	before := max(w.StateFrom-b.history.First, 0)
	w.StateFrom, w.changed = next, true
	for i := before; i < int64(len(b.history.View.Messages)); i++ {
		if b.history.View.Messages[i].State != nil {
			b.Log.Info("requests to the model no longer contain the reasoning and signatures of its earlier steps", "model", w.Model, "why", why)
			return
		}
	}
}

// Answered records what came with the answer to a request: state, or that the server refused the
// earlier state. It is stored with the next commit.
func (b *Builder) Answered(sent Sent, state, forgot bool) {
	w := sent.of
	if forgot {
		b.forget(w, "its server refuses them")
	}
	if !state && !forgot {
		return
	}
	if now := b.prefix(&sent); now != w.Prefix {
		w.Prefix, w.changed = now, true
	}
}

// LeavesGap is called if the state of the step that a model has just made is not kept.
func (b *Builder) LeavesGap(name string) {
	b.forget(b.fitting(name, nil), "the state of a step is not kept")
}

// StateDropped is called after state was removed from the chat, so that the next request has none of
// it.
func (b *Builder) StateDropped() { b.shown.from = 0 }

// cacheKey identifies the chat to prompt caches, without revealing anything about it.
func (b *Builder) cacheKey() string {
	if b.key == "" {
		ref, names := &b.Conversation.Ref, make([]byte, 0, 256)
		for _, name := range [...]string{ref.Tenant, ref.Subject, ref.App, ref.ChatID} {
			names = append(append(names, name...), 0)
		}
		sum := sha256.Sum256(names)
		b.key = hex.EncodeToString(sum[:16])
	}
	return b.key
}
