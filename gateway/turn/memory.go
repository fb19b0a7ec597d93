package turn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// memory is what a run knows of what is kept of the chat's owner beyond chats. Tools change it
// while others read.
type memory struct {
	mu   sync.Mutex
	read bool
	list []chat.Memory
}

// remembered is what is kept of the chat's owner, as far as it can be read: a turn does not end
// for want of it.
func (r *Run) remembered(ctx context.Context) []chat.Memory {
	m := &r.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.read {
		return m.list
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	ref := &r.conversation.Ref
	list, err := r.engine.Store.Memories(ctx, ref.Tenant, ref.Subject, ref.App)
	if err != nil {
		r.log.Warn("what is remembered of the person cannot be read", "error", err)
		return nil
	}
	m.read, m.list = true, list
	return list
}

// remembering is how answers to a part are kept of a person, under which key, and what else
// identifies what was asked. ok is false where they are not.
func remembering(app *config.App, catalog *toolexec.Catalog, tool string, q *tools.Question, part int) (how config.Remember, key, of string, ok bool) {
	p := &q.Parts[part]
	if q.Kind != tools.KindQuestion || q.State != nil || p.Secret != "" || p.InputType == tools.File {
		return how, "", "", false
	}
	if p.Template != "" {
		if t := catalog.Template(app.ID, tool, p.Template); t != nil {
			how = t.Remember
		}
	}
	if how.Remember == "" && p.Key != "" {
		how = app.Clarifications.Keys[p.Key]
	}
	switch {
	case how.Remember != config.RememberUser:
		return how, "", "", false
	case p.Key != "":
		return how, p.Key, "key", true
	}
	return how, p.Template, "template " + filled(q, part), true
}

// keep remembers what was answered, in the update that stores the answer. What a program or the
// holders of a role are told, and what is said in a chat that is not kept, is not remembered.
func (t *transition) keep(c *chat.Clarification) error {
	if c.State != tools.StateAnswered || c.Answer == nil || c.Asker != "" || c.For != "" || t.tx.Conversation().Passing {
		return nil
	}
	ids := make([]string, len(c.Question.Parts)) // in lists, the first part comes first
	for i := range ids {
		ids[i] = chat.NewID("mem")
	}
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(b, a) })
	for i := range c.Question.Parts {
		given := c.Question.AnswerTo(c.Answer, i)
		how, key, of, ok := remembering(t.app, t.setup.Catalog, c.ToolName, &c.Question, i)
		if !ok || given == nil || given.Skipped || given.Declined || len(given.Value) == 0 && len(given.Values) == 0 && given.Other == "" {
			continue
		}
		a := *given
		m := chat.Memory{
			ID: ids[i], Key: key, Of: of, Silent: how.Silent && (c.Answer.DontAskAgain || a.DontAskAgain), UpdatedAt: t.now,
			Answer: &chat.RememberedAnswer{Part: c.Question.Parts[i], Filled: filled(&c.Question, i), Answer: a},
		}
		if how.For > 0 {
			m.ExpiresAt = t.now.Add(how.For.Std())
		}
		kept := &m.Answer.Part
		kept.Options = chosenOptions(*kept, a)
		kept.Context, kept.Placeholder, kept.Validation, kept.Default, kept.Earlier, kept.Kept = "", "", nil, nil, nil, ""
		m.Answer.Answer.Note, m.Answer.Answer.Options, m.Answer.Answer.DontAskAgain = "", nil, false
		m.Text = reads(*kept, a)
		if err := t.tx.Remember(m); err != nil {
			return err
		}
	}
	return nil
}

// chosenOptions are those of a part that an answer names.
func chosenOptions(p tools.Part, a tools.Answer) (chosen []tools.Option) {
	values := chosenValues(&a)
	for _, o := range slices.Concat(p.Options, a.Options) {
		if slices.Contains(values, o.Value) && !slices.ContainsFunc(chosen, func(c tools.Option) bool { return c.Value == o.Value }) {
			chosen = append(chosen, o)
		}
	}
	return chosen
}

// reads is how an answer to a part reads.
func reads(p tools.Part, a tools.Answer) string {
	var labels []string
	for _, v := range chosenValues(&a) {
		if v != "" {
			labels = append(labels, labelOf(p.Options, v))
		}
	}
	if a.Other != "" {
		labels = append(labels, a.Other)
	}
	return tools.Shorten(strings.Join(labels, ", "), maxEarlierLabel)
}

// markKept says of each part whether its answer will be kept.
func (r *Run) markKept(tool string, q *tools.Question) {
	for i := range q.Parts {
		how, _, _, ok := remembering(r.app, r.setup.Catalog, tool, q, i)
		switch {
		case !ok || r.conversation.Passing:
		case how.Silent:
			q.Parts[i].Kept = tools.KeptUnasked
		default:
			q.Parts[i].Kept = tools.KeptOffered
		}
	}
}

// rememberedFor are the remembered answers to the parts of a question.
func (r *Run) rememberedFor(tool string, q *tools.Question) iter.Seq[lastTime] {
	return func(yield func(lastTime) bool) {
		for i := range q.Parts {
			if s, _, ok := r.rememberedPart(tool, q, i); ok && !yield(s) {
				return
			}
		}
	}
}

// rememberedPart is the remembered answer to a part, and whether it may be used without asking.
func (r *Run) rememberedPart(tool string, q *tools.Question, part int) (s lastTime, silent, ok bool) {
	how, key, of, ok := remembering(r.app, r.setup.Catalog, tool, q, part)
	if !ok {
		return s, false, false
	}
	for _, m := range r.remembered(r.ctx) {
		if m.Answer != nil && m.Key == key && m.Of == of {
			was := tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{m.Answer.Part}, Values: []string{m.Answer.Filled}}
			return lastTime{question: was, answer: m.Answer.Answer, at: m.UpdatedAt, memory: true}, how.Silent && m.Silent, true
		}
	}
	return s, false, false
}

// silently is the answer to a question that need not be asked: to each part there is a remembered
// one that fits, which the person wants used, and the admin lets. Where a tool lists options, the
// person is asked: they may be others by now.
func (r *Run) silently(tool string, q *tools.Question) (tools.Answer, bool) {
	if len(q.Sources) > 0 {
		return tools.Answer{}, false
	}
	answers := make([]tools.Answer, len(q.Parts))
	for i := range q.Parts {
		s, silent, ok := r.rememberedPart(tool, q, i)
		if !ok || !silent {
			return tools.Answer{}, false
		}
		e := r.stillSaid(tool, q, i, &s)
		if e == nil {
			return tools.Answer{}, false
		}
		answers[i] = tools.Answer{Value: e.Value, Values: e.Values, Other: e.Other}
	}
	whole := tools.Answer{Answers: answers}
	if len(answers) == 1 {
		whole = answers[0]
	}
	checked, err := r.check(tool, *q, whole)
	return checked, err == nil
}

// fromMemory is the clarification of a question that nobody is asked.
func (r *Run) fromMemory(of tools.Call, out *tools.Outcome, number int) chat.Clarification {
	q := *out.Question
	q.ExpiresIn = 0
	c := r.clarification(of, q, number)
	c.State, c.Answer, c.DoneFence, c.AnsweredAt, c.ExpiresAt = tools.StateRemembered, out.Answer, c.AskedFence, c.AskedAt, time.Time{}
	c.AnsweredBy = &chat.By{Subject: c.Subject, Channel: chat.ChannelMemory}
	return c
}

// silentEvent records the question of a call that was answered without asking, before its result.
func (r *Run) silentEvent(silent []chat.Clarification, callID string) {
	for i := range silent {
		if silent[i].ToolCallID == callID {
			r.rec.Event(chat.Event{Type: chat.EventClarificationResolved, Data: chat.NewResolved(&silent[i])})
		}
	}
}

// addSilent stores questions that nobody is asked.
func (r *Run) addSilent(tx store.RunTx, silent []chat.Clarification) error {
	for i := range silent {
		if err := tx.AddClarification(silent[i]); err != nil {
			return err
		}
		if err := r.auditSilent(tx, &silent[i]); err != nil {
			return err
		}
	}
	return nil
}

// wentSilently takes stored questions that nobody was asked in.
func (r *Run) wentSilently(silent []chat.Clarification) {
	r.history.Silent = append(r.history.Silent, silent...)
	for i := range silent {
		r.engine.metrics.closed(&silent[i])
	}
}

// keeper keeps words of the chat's owner for a tool. It implements tools.Memory.
type keeper struct{ run *Run }

// Remember implements tools.Memory.
func (k keeper) Remember(ctx context.Context, key, text string) error {
	ref := &k.run.conversation.Ref
	err := k.run.engine.Store.SaveMemory(ctx, chat.Memory{
		ID: chat.NewID("mem"), Tenant: ref.Tenant, Subject: ref.Subject, App: ref.App, Key: key, Text: text, UpdatedAt: time.Now(),
		ConversationID: k.run.conversation.ID,
	}, chat.MaxMemories)
	if errors.Is(err, store.ErrFull) {
		return &tools.Error{Code: tools.CodeInvalidArguments, Message: fmt.Sprintf(
			"%d things are remembered of this user already, which is as many as there may be: ask what to forget, or keep it under a key that there is.", chat.MaxMemories)}
	}
	k.run.memory.changed()
	return err
}

// Forget implements tools.Memory.
func (k keeper) Forget(ctx context.Context, key string) (bool, error) {
	ref := &k.run.conversation.Ref
	n, err := k.run.engine.Store.ForgetKey(ctx, ref.Tenant, ref.Subject, ref.App, key)
	k.run.memory.changed()
	return n > 0, err
}

// changed has the memory be read again.
func (m *memory) changed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read = false
}
