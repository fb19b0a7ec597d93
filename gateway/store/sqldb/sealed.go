package sqldb

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// The seal of a clarification is the last member of its question's JSON:
//
//	{"kind":"question","parts":[...],"seal":"..."}
//
// It is over this text without the member, byte for byte, so that it fits whatever fields a
// later binary knows; and over the columns that say whose question it is and what would run.
// State, answer, who closed it, draft, when it was seen and the fence of its end change, and
// are not in it; SaveClarification must leave the other fence and times as they are, but for
// the fence of what a program asks, which it may get later.
const sealMember = `,"seal":"`

func (d *handle) seal(c *chat.Clarification, question string) string {
	seal := d.signer.Sign(c.ID, sealedParts(c, question)...)
	if seal == "" {
		return question
	}
	return strings.TrimSuffix(question, "}\n") + sealMember + seal + "\"}\n"
}

func (d *handle) fits(c *chat.Clarification, question string) bool {
	seal := ""
	if i := strings.LastIndex(question, sealMember); i >= 0 {
		if end, ok := strings.CutSuffix(question[i+len(sealMember):], "\"}\n"); ok {
			question, seal = question[:i]+"}\n", end
		}
	}
	return d.signer.Verify(seal, c.ID, sealedParts(c, question)...)
}

func sealedParts(c *chat.Clarification, question string) []string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	asked := c.AskedFence
	if c.Asker != "" {
		asked = 0
	}
	return []string{
		c.ConversationID, c.Tenant, c.Subject, c.App, c.ChatID, c.TurnID, c.ToolCallID, c.ToolName, c.Arguments, question,
		number(int64(c.Number)), number(int64(c.Max)), number(asked), number(toMillis(c.AskedAt)), number(toMillis(c.ExpiresAt)), c.Asker, c.For,
	}
}

// only is the clarification that was read by its id.
func only(kept []keptClarification, err error) (chat.Clarification, error) {
	switch {
	case err != nil:
		return chat.Clarification{}, err
	case len(kept) > 0 && kept[0].lost:
		return chat.Clarification{}, store.ErrUnreadable
	case len(genuine(kept)) == 0:
		return chat.Clarification{}, store.ErrNotFound
	}
	return kept[0].Clarification, nil
}

// anyLost says that some cannot be read by this version.
func anyLost(kept []keptClarification) bool {
	return slices.ContainsFunc(kept, func(k keptClarification) bool { return k.lost })
}

// genuine are those whose seal fits.
func genuine(kept []keptClarification) []chat.Clarification {
	var list []chat.Clarification
	for i := range kept {
		if kept[i].genuine {
			list = append(list, kept[i].Clarification)
		}
	}
	return list
}

// Forged counts the pending clarifications that are not shown, because their seals do not
// fit. It keeps none of them in memory.
func (d *DB) Forged(ctx context.Context) (n int, err error) {
	text, args := q.pending, []any{maxPage}
	for {
		places, err := list(ctx, d.h, scanPlace, text, args...)
		if err != nil {
			return n, err
		}
		forged := 0
		err = d.h.read(ctx, func(s session) error {
			forged = 0
			for _, p := range places {
				_, err := one(s, func(scan scanner) error {
					var k keptClarification
					err := d.h.scanClarification(scan, &k)
					if err == nil && !k.genuine && !k.lost {
						forged++
					}
					return err
				}, q.clarification, p.id)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if n += forged; err != nil || len(places) < maxPage {
			return n, err
		}
		last := places[len(places)-1]
		text, args = q.pendingAfter, []any{last.millis, last.id, maxPage}
	}
}
