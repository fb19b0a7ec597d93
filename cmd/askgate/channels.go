package main

import (
	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/gateway/channels/mail"
	"github.com/askgate/askgate/gateway/channels/slack"
)

// channelTypes are the types of channels, which tell people of questions.
func channelTypes() map[string]channels.Type {
	return map[string]channels.Type{
		config.ChannelMail:  mail.New,
		config.ChannelSlack: slack.New,
	}
}
