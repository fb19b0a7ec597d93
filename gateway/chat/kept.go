package chat

import (
	"encoding/json"

	"github.com/askgate/askgate/tools"
)

// By says who closed a clarification, and how.
type By struct {
	Subject string  `json:"subject"`
	Channel Channel `json:"channel"`
	// ClientID is the client's own id of the message that was the answer, see Message.ClientID.
	ClientID string `json:"-"`
}

// Channel is a way to close a clarification.
type Channel string

// The channels.
const (
	ChannelAPI     Channel = "api"     // an answer
	ChannelMessage Channel = "message" // a plain message that was taken as the answer
	ChannelResume  Channel = "resume"  // an answer to an interrupt of AG-UI
	ChannelLink    Channel = "link"    // an answer through the link that the person was sent
	ChannelAdmin   Channel = "admin"   // /v1/admin
	ChannelForm    Channel = "form"    // an answer in the form of the program that asked
	ChannelMemory  Channel = "memory"  // a remembered answer: no one was asked
	ChannelSlack   Channel = "slack"   // a press in Slack
)

// Kept is a clarification as it is stored: what was asked, and how it ended. Snapshots, lists and
// the call for a single clarification all show it in this form.
type Kept struct {
	App string `json:"app"`
	Asked
	State      tools.State   `json:"state"`
	Answer     *tools.Answer `json:"answer"`
	AnsweredAt *Time         `json:"answeredAt"` // when it was closed, by anyone
	AnsweredBy *By           `json:"answeredBy"` // null if no one did, or if it is not known
	Remembered bool          `json:"remembered,omitempty"`
	Approval   *Approval     `json:"approval,omitempty"`
	// Draft is what was typed so far, while the question is pending; omitted if there is none.
	Draft json.RawMessage `json:"draft,omitempty"`
	// SeenAt is when a screen first showed it; omitted if none has reported that.
	SeenAt *Time `json:"seenAt,omitempty"`
	// AskerWaiting says whether the asker of a pending question waits for its end, or did within the
	// last minute; nil if it never has, and where it is not told.
	AskerWaiting *bool `json:"askerWaiting,omitempty"`
	// NotTold are the ids of the channels that could tell none of the people they were to tell.
	NotTold []string `json:"notTold,omitempty"`
}

// NewKept returns a clarification for the owner of its chat. It does not show what the holders of a
// role have typed.
func NewKept(c *Clarification) Kept {
	k := Kept{App: c.App, Asked: NewAsked(c), State: c.State, SeenAt: optionalTime(c.SeenAt)}
	end := NewResolved(c)
	k.Answer, k.AnsweredAt, k.AnsweredBy, k.Remembered, k.Approval = end.Answer, end.AnsweredAt, end.By, end.Remembered, end.Approval
	if c.State != tools.StatePending {
		k.MayAnswer = nil
	} else {
		k.NotTold = c.NotTold
		if c.For == "" {
			k.Draft = c.Draft
		}
	}
	return k
}
