package sqldb

import (
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
)

// The seal of a clarification is the last member of its question's JSON:
//
//	{"kind":"question","parts":[...],"seal":"..."}
//
// It covers this text without the member, byte for byte, so that it fits whatever fields a later
// binary adds, and the columns that say whose question it is and what would run. It does not
// cover what changes: state, answer, who closed it, draft, when it was seen and the fence of its
// end. ClarificationTx.Save must not change the other fence and times, except the fence of a
// program's question, which may be set later.
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
