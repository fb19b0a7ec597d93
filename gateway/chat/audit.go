package chat

import (
	"encoding/json"

	"github.com/askgate/askgate/tools"
)

// AuditRecord says that something happened to a clarification, or that a chat was
// erased or forked. It is written once, in the same transaction as what it describes, and exported as
// this JSON.
type AuditRecord struct {
	ID   int64     `json:"id,omitempty"` // given by the store; grows within a chat
	At   Time      `json:"at"`
	What AuditWhat `json:"what"`

	// The chat and its owner. Of an erased chat only tenant and app are recorded.
	Tenant          string `json:"tenant"`
	Subject         string `json:"subject,omitempty"`
	Role            string `json:"role,omitempty"` // whose holders answer; there is no subject where the chat is theirs
	App             string `json:"app"`
	ChatID          string `json:"chatId,omitempty"`
	TurnID          string `json:"turnId,omitempty"`
	ClarificationID string `json:"clarificationId,omitempty"`
	ToolCallID      string `json:"toolCallId,omitempty"`
	ForkedFrom      *Fork  `json:"forkedFrom,omitempty"` // of AuditForked: the other chat, and the point in it

	Kind      tools.Kind  `json:"kind,omitempty"`
	ToolName  string      `json:"toolName,omitempty"` // the one that asks, that wants to run, or that the caller runs
	InputType string      `json:"input_type,omitempty"`
	Outcome   tools.State `json:"outcome,omitempty"`  // of AuditResolved
	Approved  *bool       `json:"approved,omitempty"` // of an approval that a person closed

	// Of AuditErased: the places of the chains that went, by chain, such as "4,7-9".
	Places map[string]string `json:"places,omitempty"`

	By   Actor  `json:"by"`
	Node string `json:"node"`

	// The texts, if they are recorded.
	Questions []tools.Part    `json:"questions,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // of a call that waits for an approval or an input
	Answer    *tools.Answer   `json:"answer,omitempty"`

	// The place in a chain, given by the store.
	Chain string `json:"chain,omitempty"`
	Seq   int64  `json:"seq,omitempty"`  // 1.. within the chain
	Prev  string `json:"prev,omitempty"` // hash of the one before; of the first in a chain: of one in another chain, if there was one
	Hash  string `json:"hash,omitempty"` // of the record with its place
}

// AuditWhat is what happened.
type AuditWhat string

// What is recorded.
const (
	AuditAsked    AuditWhat = "asked"
	AuditResolved AuditWhat = "resolved"
	AuditErased   AuditWhat = "erased"
	AuditForked   AuditWhat = "forked"
)

// WithoutTexts is the record without what people and models wrote.
func (a AuditRecord) WithoutTexts() AuditRecord {
	a.Questions, a.Arguments, a.Answer = nil, nil, nil
	return a
}

// Actor is who did what an AuditRecord describes.
type Actor struct {
	Kind    ActorKind `json:"actor"`
	Model   string    `json:"model,omitempty"` // its name in the configuration, if known
	Tenant  string    `json:"tenant,omitempty"`
	Subject string    `json:"subject,omitempty"`
	Key     string    `json:"key,omitempty"`  // id of the API key that was presented
	From    string    `json:"from,omitempty"` // IP address
}

// ActorKind says in which role somebody acted.
type ActorKind string

// The roles.
const (
	ActorModel   ActorKind = "model"
	ActorCaller  ActorKind = "caller"  // the chat's owner, or a backend that acts for them
	ActorProgram ActorKind = "program" // who has a program ask, without a model
	ActorAdmin   ActorKind = "admin"   // by /v1/admin
	ActorGateway ActorKind = "gateway" // by itself: an expiry
)
