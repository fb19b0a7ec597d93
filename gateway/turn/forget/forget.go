// Package forget deletes what a person answered to a question, wherever the words stand, in one
// update:
//
//	the question      its answer, and that of its copies in forks
//	the model reads   the results of their calls, and of calls that asked the same; the note in the result
//	                  of a tool that asked in its call; the beginning of the prompts of a turn that waits
//	later questions   offers of the answer, and answers that were taken from memory without asking
//	memory            what was kept of the answer
//	files             the file that it was
//	the audit         the records with its words; one without them comes in their place
//
// What a model or a tool made of the answer stays, and so does the outcome.
package forget

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/record"
	"github.com/askgate/askgate/gateway/turn/reuse"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// Forgetting is the deletion of one answer.
type Forgetting struct {
	Tx       store.Tx // of the clarification's chat
	Catalog  *toolexec.Catalog
	Recorder *record.Recorder
	Now      time.Time
	By       chat.Actor // who deletes it
}

// Chat is a chat in which an answer was deleted, or only offered.
type Chat struct {
	ID string
	chat.Ref
	Offered bool // no question of the chat had the answer
}

// Refused returns why the answer to a clarification cannot be deleted; nil if it can, or is deleted
// already.
func Refused(c *chat.Clarification) error {
	switch {
	case c.State == tools.StatePending:
		return &chat.Error{Code: chat.CodeClarificationPending, Clarification: c}
	case c.Question.Kind != tools.KindQuestion:
		return &chat.Error{Code: chat.CodeNotDeletable, Detail: "not_deletable_ran"}
	case c.Answer == nil:
		return &chat.Error{Code: chat.CodeNotDeletable}
	}
	return nil
}

// Answer deletes the answer to a clarification of the chat. It returns the chats in which it stood,
// this one first, and then those that only offered it; none if it was deleted already.
func (f *Forgetting) Answer(ctx context.Context, id string) ([]Chat, error) {
	c, err := f.Tx.Clarifications().Find(id)
	if err != nil {
		return nil, err
	}
	if err := Refused(&c); err != nil || c.Answer.Deleted {
		return nil, err
	}
	list, err := f.Tx.Answers().Copies(c)
	if err != nil {
		return nil, err
	}
	offered, err := f.later(&c, &list)
	if err != nil {
		return nil, err
	}
	var chats []Chat
	add := func(of *chat.Clarification, offered bool) {
		if !slices.ContainsFunc(chats, func(known Chat) bool { return known.ID == of.ConversationID }) {
			chats = append(chats, Chat{of.ConversationID, of.Ref, offered})
		}
	}
	for i := range list {
		if err := f.one(ctx, &list[i]); err != nil {
			return nil, err
		}
		add(&list[i], false)
	}
	for i := range offered {
		add(&offered[i], true)
	}
	for _, key := range reuse.Keys(&c.Question) {
		if err := f.Tx.Answers().DropMemory(key, c.AnsweredAt); err != nil {
			return nil, err
		}
	}
	return chats, f.Recorder.AnswerDeleted(f.Tx, &c, list, offered, f.By, f.Now)
}

// later adds to list what was answered with the answer without asking, and withdraws the offers of
// it. It returns the questions that had one.
func (f *Forgetting) later(c *chat.Clarification, list *[]chat.Clarification) (offered []chat.Clarification, err error) {
	listed := map[string]bool{}
	for i := range *list {
		listed[(*list)[i].ID] = true
	}
	err = f.Tx.Answers().Since(c.AnsweredAt, func(o *chat.Clarification) {
		if reuse.Withdraw(&o.Question, c) {
			offered = append(offered, *o)
		}
		if !listed[o.ID] && reuse.Silently(o, c) {
			*list = append(*list, *o)
		}
	})
	for i := range offered {
		if err == nil {
			err = f.Tx.Answers().SaveQuestion(offered[i])
		}
	}
	return offered, err
}

// one deletes the answer in one chat.
func (f *Forgetting) one(ctx context.Context, c *chat.Clarification) error {
	tx := f.Tx.Answers()
	if err := tx.Delete(*c); err != nil {
		return err
	}
	for _, file := range uploads.Answering(c) {
		if err := tx.DropFile(*c, file.ID); err != nil {
			return err
		}
	}
	if err := tx.DropBasis(c.ConversationID); err != nil {
		return err
	}
	was, err := tx.Result(c.ConversationID, c.ToolCallID)
	if err != nil || was == "" {
		return err
	}
	if c.Question.State != nil { // the call's result is the tool's own, but for the note
		return f.note(c, was)
	}
	text, err := Result(ctx, f.Catalog, c)
	if err != nil {
		return err
	}
	repeated := func(text string) string {
		r := reuse.Repeated(&chat.ToolResult{Content: text}, c.ToolCallID)
		return r.Content
	}
	if err := tx.Replace(c.ConversationID, repeated(was), repeated(text)); err != nil {
		return err
	}
	return tx.SaveResult(c.ConversationID, c.ToolCallID, text)
}

// note deletes the note with an answer from the result of the call that asked for it.
func (f *Forgetting) note(c *chat.Clarification, was string) error {
	if c.Answer.Note == "" {
		return nil
	}
	own, rest, found := strings.Cut(was, tools.Noted(c.Answer.Note))
	if !found {
		return nil
	}
	return f.Tx.Answers().SaveText(c.ConversationID, c.ToolCallID, own+tools.Noted(tools.DeletedText)+rest)
}

// Result returns what the model reads as the result of the call of a clarification whose answer is
// deleted.
func Result(ctx context.Context, catalog *toolexec.Catalog, c *chat.Clarification) (string, error) {
	end := c.Closing()
	end.Answer = &tools.Answer{Deleted: true}
	out, err := catalog.Resumer(c.App, c.ToolName, tools.KindQuestion).Resume(ctx, tools.Call{ID: c.ToolCallID, Name: c.ToolName}, c.Question, end)
	if err != nil {
		return "", fmt.Errorf("the result without the answer: %w", err)
	}
	return out.Result, nil
}
