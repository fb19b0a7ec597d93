package turn

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// takeAnswer closes a clarification. If it was the last one open, the turn goes on.
func (in *incoming) takeAnswer(a *Answer) error {
	c, err := in.judge.picked(a)
	if err != nil {
		return err
	}
	checked, err := in.judge.accept(a, c)
	if err != nil {
		return err
	}
	return in.next.answer(c, checked, in.channel(chat.ChannelAPI))
}

// answer closes a clarification with a checked answer that came by the channel, and goes on with the
// turn.
func (t *transition) answer(c *chat.Clarification, a tools.Answer, channel chat.Channel) error {
	if err := t.conclude(c, a, channel); err != nil {
		return err
	}
	return t.goOn()
}

// conclude closes a clarification with a checked answer or, if it waits for several people, may keep
// the answer as the decision of one of them.
func (t *transition) conclude(c *chat.Clarification, a tools.Answer, channel chat.Channel) error {
	if c.Question.Quorum > 1 {
		by := t.by(channel)
		if c.Decide(chat.Decision{By: *by, At: t.now, Fence: t.tx.Conversation().Fence, Answer: a}) {
			return t.decide(c)
		}
		return t.close(c, a.Outcome(), &a, by)
	}
	if c.Question.Remember != "" { // only the newest decision about a tool counts
		if err := revoke(t.tx, c.ToolName); err != nil {
			return err
		}
		c.State, c.Answer = a.Outcome(), &a
		c.Remembered = c.Approved() && a.Arguments == nil && !a.Once && channel != chat.ChannelLink // a decision by link is for one question only
	}
	return t.close(c, a.Outcome(), &a, t.by(channel))
}

// decide stores the newest decision about a call that still waits for others, and announces it.
func (t *transition) decide(c *chat.Clarification) error {
	c.Draft = nil
	t.amended = append(t.amended, chat.NewDecided(c, t.tx.Conversation().Fence))
	if err := t.tx.Clarifications().Save(*c); err != nil {
		return err
	}
	return t.engine.node.Recorder.Decided(t.tx, &t.setup.Config.Gateway, c, t.cmd.By)
}
