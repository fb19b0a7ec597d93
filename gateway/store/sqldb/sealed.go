package sqldb

import (
	"context"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Sealer shows what the gateway wrote, so that what others wrote into the database is not
// taken for it. Implementations are safe for concurrent use.
type Sealer interface {
	// Seal makes the seal of a row: base64url, "" where none is made.
	Seal(id string, parts ...string) string
	// Fits says whether the row is to be taken; seal is "" where it has none.
	Fits(seal, id string, parts ...string) bool
}

// The seal of a clarification is the last member of its question's JSON, where an older
// binary does not mind it:
//
//	{"kind":"question","parts":[...],"seal":"..."}
//
// It is over this text without the member, byte for byte, so that it fits whatever fields a
// later binary knows; and over the columns that say whose question it is and what would run.
// State, answer, who closed it, draft, when it was seen and the fence of its end change, and
// are not in it; SaveClarification must leave the other fence and times as they are, but for
// the fence of what a program asks, which it may get later. Who asks and who may answer are in
// it where that is not the model and the owner: an older binary shows no such row.
const sealMember = `,"seal":"`

func (d *DB) seal(c *chat.Clarification, question string) string {
	if d.sealer == nil {
		return question
	}
	seal := d.sealer.Seal(c.ID, sealedParts(c, question)...)
	if seal == "" {
		return question
	}
	return strings.TrimSuffix(question, "}\n") + sealMember + seal + "\"}\n"
}

func (d *DB) fits(c *chat.Clarification, question string) bool {
	if d.sealer == nil {
		return true
	}
	seal := ""
	if i := strings.LastIndex(question, sealMember); i >= 0 {
		if end, ok := strings.CutSuffix(question[i+len(sealMember):], "\"}\n"); ok {
			question, seal = question[:i]+"}\n", end
		}
	}
	return d.sealer.Fits(seal, c.ID, sealedParts(c, question)...)
}

func sealedParts(c *chat.Clarification, question string) []string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	asked := c.AskedFence
	if c.Asker != "" {
		asked = 0
	}
	parts := []string{
		c.ConversationID, c.Tenant, c.Subject, c.App, c.ChatID, c.TurnID, c.ToolCallID, c.ToolName, c.Arguments, question,
		number(int64(c.Number)), number(int64(c.Max)), number(asked), number(toMillis(c.AskedAt)), number(toMillis(c.ExpiresAt)),
	}
	if c.Asker != "" || c.For != "" {
		parts = append(parts, c.Asker, c.For)
	}
	return parts
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

// genuinePage is paged, of clarifications that are genuine: a page may have fewer than it
// could, even where there is a next.
func (d *DB) genuinePage(ctx context.Context, mark listMark, page store.Page,
	query func(after *place) (text string, args []any), at func(k *keptClarification) place,
) ([]chat.Clarification, string, error) {
	kept, cursor, err := paged(ctx, d, mark, page, d.scanClarification, query, at)
	return genuine(kept), cursor, err
}

// Forged counts the pending clarifications that are not shown, because their seals do not
// fit.
func (d *DB) Forged(ctx context.Context) (n int, err error) {
	for page := (store.Page{Limit: maxPage}); ; {
		kept, cursor, err := paged(ctx, d, cursorList("all pending"), page, d.scanClarification, allPending, placeOfPending)
		if err != nil {
			return n, err
		}
		n += len(kept) - len(genuine(kept))
		if page.Cursor = cursor; cursor == "" {
			return n, nil
		}
	}
}
