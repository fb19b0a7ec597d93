package slack

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/channels"
)

// New makes the sender of a channel of type slack.
func New(c config.Channel) (channels.Sender, error) {
	api, err := newClient(&c)
	if err != nil {
		return nil, err
	}
	return &sender{api, c.Quiet.Location()}, nil
}

type sender struct {
	client *client
	zone   *time.Location // in which times are written
}

// Send implements channels.Sender. A reminder goes into the thread of the message.
func (s *sender) Send(ctx context.Context, m *channels.Message) (string, error) {
	if channel, ts, ok := strings.Cut(m.Ref, ":"); ok && m.Reminder > 0 {
		return s.post(ctx, channel, message(m, s.zone), slack.MsgOptionTS(ts))
	}
	u, err := s.client.byEmail(ctx, m.Email)
	if err != nil {
		return "", err
	}
	im, _, _, err := s.client.api.OpenConversationContext(ctx, &slack.OpenConversationParameters{Users: []string{u.ID}})
	if err != nil {
		return "", fault("conversations.open", err)
	}
	return s.post(ctx, im.ID, message(m, s.zone))
}

func (s *sender) post(ctx context.Context, to string, w written, more ...slack.MsgOption) (string, error) {
	channel, ts, err := s.client.api.PostMessageContext(ctx, to, append(w.options(), more...)...)
	if err != nil {
		return "", fault("chat.postMessage", err)
	}
	return channel + ":" + ts, nil
}

// End implements channels.Sender.
func (s *sender) End(ctx context.Context, ref string, m *channels.Message) error {
	return s.client.end(ctx, ref, m)
}

// Close implements channels.Sender.
func (s *sender) Close() { s.client.close() }

// end replaces a message by how its question ended.
func (c *client) end(ctx context.Context, ref string, m *channels.Message) error {
	channel, ts, ok := strings.Cut(ref, ":")
	if !ok {
		return nil
	}
	_, _, _, err := c.api.UpdateMessageContext(ctx, channel, ts, ended(m).options()...)
	if e, ok := errors.AsType[slack.SlackErrorResponse](err); ok && e.Err == "message_not_found" {
		return nil // the person has deleted it
	}
	return fault("chat.update", err)
}
