package sqldb

import (
	"encoding/json"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// askedSizes is a query, text, that adds a chat's questions to the part that may be looked through.
func askedSizes(of *newest, text, conversationID string) query {
	full := false
	return rows(func(scan scanner) error {
		var p placedSize
		if err := scan(&p.number, &p.id, &p.bytes); err != nil {
			return err
		}
		if full = full || len(of.asked) == maxSearched || of.bytes > 0 && of.bytes+int(p.bytes) > maxSearchedBytes; !full {
			of.asked, of.bytes = append(of.asked, p), of.bytes+int(p.bytes)
		}
		return nil
	}, text, conversationID, maxSearched)
}

// question is the query that looks through a question, if it is genuine.
func (s *searched) question(d *handle, look func(text, question string), id string) query {
	return rows(func(scan scanner) error {
		var k keptClarification
		if err := d.scanClarification(scan, &k); err != nil || !k.genuine {
			return err
		}
		s.messages++
		for _, text := range wordsOf(&k.Clarification) {
			s.bytes += len(text)
			look(text, k.ID)
		}
		return nil
	}, q.clarification, id)
}

// wordsOf returns what people read of a question, one text for each part: its words, options and answer.
// A part that asks for a secret has none.
func wordsOf(c *chat.Clarification) (texts []string) {
	secret := false
	for i := range c.Question.Parts {
		p := &c.Question.Parts[i]
		if p.Secret != "" {
			secret = true
			continue
		}
		words := []string{p.Question, p.Context}
		options := p.Options
		if a := c.Question.AnswerTo(c.Answer, i); a != nil {
			options = append(options[:len(options):len(options)], a.Options...)
			words = append(words, given(p, a), a.Other, a.Note)
		}
		for _, o := range options {
			words = append(words, o.Label, o.Description)
		}
		texts = append(texts, joined(words))
	}
	if c.Answer != nil && len(c.Question.Parts) > 1 && !secret {
		texts = append(texts, c.Answer.Note)
	}
	return texts
}

// given returns an answer that a person wrote. What they chose is among the options.
func given(p *tools.Part, a *tools.Answer) string {
	switch {
	case a.File != nil:
		return a.File.Name
	case !p.InputType.Written():
		return ""
	}
	var text string
	if json.Unmarshal(a.Value, &text) == nil {
		return text
	}
	return string(a.Value) // a number
}

// joined returns the words on one line.
func joined(words []string) string {
	var b strings.Builder
	for _, w := range words {
		if w == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(w)
	}
	return b.String()
}
