package chat

import (
	"encoding/json"

	"github.com/askgate/askgate/tools"
)

// By is who closed a clarification, and by what way.
type By struct {
	Subject string  `json:"subject"`
	Channel Channel `json:"channel"`
	// ClientID is what a client knows the message by that was the answer, see Message.ClientID.
	ClientID string `json:"-"`
}

// Channel is a way to close a clarification.
type Channel string

// The channels.
const (
	ChannelAPI     Channel = "api"     // an answer
	ChannelMessage Channel = "message" // a plain message that was taken as the answer
	ChannelResume  Channel = "resume"  // an answer to an interrupt of AG-UI
	ChannelLink    Channel = "link"    // an answer by the link that the person was sent
	ChannelAdmin   Channel = "admin"   // /v1/admin
	ChannelForm    Channel = "form"    // an answer in the form of the program that asked
	ChannelMemory  Channel = "memory"  // an answer that was remembered: nobody was asked
)

// Kept is a clarification as it is stored: what was asked, and how it ended. It is the one
// form in which snapshots, lists and the call for a single one show it.
type Kept struct {
	App string `json:"app"`
	Asked
	State      tools.State   `json:"state"`
	Answer     *tools.Answer `json:"answer"`
	AnsweredAt *Time         `json:"answeredAt"` // when it was closed, by whomever
	AnsweredBy *By           `json:"answeredBy"` // null where nobody did, or it is not known
	Remembered bool          `json:"remembered,omitempty"`
	Approval   *Approval     `json:"approval,omitempty"`
	// Draft is what was typed so far, of one that is pending; left out where there is none.
	Draft json.RawMessage `json:"draft,omitempty"`
	// SeenAt is when a screen first showed it; left out where none has said so.
	SeenAt *Time `json:"seenAt,omitempty"`
}

// NewKept is a clarification for the owner of its chat. What the holders of a role have typed
// is theirs.
func NewKept(c *Clarification) Kept {
	k := Kept{App: c.App, Asked: NewAsked(c), State: c.State, SeenAt: optionalTime(c.SeenAt)}
	end := NewResolved(c)
	k.Answer, k.AnsweredAt, k.AnsweredBy, k.Remembered, k.Approval = end.Answer, end.AnsweredAt, end.By, end.Remembered, end.Approval
	if c.State != tools.StatePending {
		k.MayAnswer = nil
	} else if c.For == "" {
		k.Draft = c.Draft
	}
	return k
}
