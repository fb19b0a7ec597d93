package chat

import (
	"encoding/json"

	"github.com/askgate/askgate/tools"
)

// AuditRecord says that something happened to a clarification, that rules decided about a call, or that a chat was
// erased or forked. It is written once, in the same transaction as what it describes, and exported as this JSON.
type AuditRecord struct {
	ID   int64     `json:"id,omitempty"` // set by the store; grows within a chat
	At   Time      `json:"at"`
	What AuditWhat `json:"what"`

	// The chat and its owner. For an erased chat, only tenant and app are recorded.
	Tenant          string `json:"tenant"`
	Subject         string `json:"subject,omitempty"`
	Role            string `json:"role,omitempty"` // holders of this role answer; if the chat itself is theirs, there is no subject
	App             string `json:"app"`
	ChatID          string `json:"chatId,omitempty"`
	TurnID          string `json:"turnId,omitempty"`
	ClarificationID string `json:"clarificationId,omitempty"`
	ToolCallID      string `json:"toolCallId,omitempty"`
	ForkedFrom      *Fork  `json:"forkedFrom,omitempty"` // of AuditForked: the other chat, and the point in it

	Kind      tools.Kind  `json:"kind,omitempty"`
	ToolName  string      `json:"toolName,omitempty"` // the tool that asks, that wants to run, or that the caller runs
	InputType string      `json:"input_type,omitempty"`
	Outcome   tools.State `json:"outcome,omitempty"`   // of AuditResolved and AuditAnswerDeleted; of AuditRuled: RuledAllowed or RuledDenied
	Approved  *bool       `json:"approved,omitempty"`  // of an approval that a person closed or, with AuditDecided, one of several people
	Responded bool        `json:"responded,omitempty"` // the person gave a result in place of the call
	Rule      *int        `json:"rule,omitempty"`      // the index of the rule that decided about the call, -1 if none fitted; omitted without rules
	Reason    string      `json:"reason,omitempty"`    // of the rule, in the chat's language
	// AnsweredAt is when the answer was given, of AuditAnswerDeleted.
	AnsweredAt *Time       `json:"answeredAt,omitempty"`
	Decisions  []DecidedBy `json:"decisions,omitempty"` // of AuditDecided and AuditResolved: those of all who decided so far, if several have to
	AlsoAsks   []AlsoAsked `json:"alsoAsks,omitempty"`  // of a question that was escalated: the roles asked after Role, with the time; of AuditEscalated, the last is new

	// Of AuditErased: the places of the erased chains, by chain, such as "4,7-9".
	Places map[string]string `json:"places,omitempty"`

	By   Actor  `json:"by"`
	Node string `json:"node"`

	// The texts, if they are recorded.
	Questions []tools.Part    `json:"questions,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // of a call that waits for an approval or an input
	Answer    *tools.Answer   `json:"answer,omitempty"`

	// The place in a chain, set by the store.
	Chain string `json:"chain,omitempty"`
	Seq   int64  `json:"seq,omitempty"`  // counts from 1 within the chain
	Prev  string `json:"prev,omitempty"` // hash of the record before; for the first record of a chain, that of one in another chain, if there was one
	Hash  string `json:"hash,omitempty"` // hash of the record, including its place
}

// AuditWhat says what happened.
type AuditWhat string

// The values of AuditWhat.
const (
	AuditAsked     AuditWhat = "asked"
	AuditResolved  AuditWhat = "resolved"
	AuditDecided   AuditWhat = "decided"   // one of several people has allowed a call; it still waits for others
	AuditEscalated AuditWhat = "escalated" // the holders of another role are asked, too
	AuditErased    AuditWhat = "erased"
	AuditForked    AuditWhat = "forked"
	AuditRuled     AuditWhat = "ruled" // rules decided about a call, and no person
	// AuditAnswerDeleted: the person who gave an answer has deleted it. It comes in place of AuditResolved.
	AuditAnswerDeleted AuditWhat = "answer.deleted"
)

// The values of AuditRecord.Outcome for AuditRuled.
const (
	RuledAllowed tools.State = "allowed"
	RuledDenied  tools.State = "denied"
)

// WithoutTexts returns the record without what people and models wrote.
func (a AuditRecord) WithoutTexts() AuditRecord {
	a.Questions, a.Arguments, a.Answer = nil, nil, nil
	return a
}

// Actor is the person, program or model that did what an AuditRecord describes.
type Actor struct {
	Kind    ActorKind `json:"actor"`
	Model   string    `json:"model,omitempty"` // its name in the configuration, if known
	Tenant  string    `json:"tenant,omitempty"`
	Subject string    `json:"subject,omitempty"`
	Key     string    `json:"key,omitempty"`  // id of the API key that was used
	From    string    `json:"from,omitempty"` // IP address
}

// ActorKind says in which role an actor acted.
type ActorKind string

// The roles.
const (
	ActorModel   ActorKind = "model"
	ActorCaller  ActorKind = "caller"  // the chat's owner, or a backend that acts for them
	ActorProgram ActorKind = "program" // has a program ask, without a model
	ActorAdmin   ActorKind = "admin"   // through /v1/admin
	ActorGateway ActorKind = "gateway" // by itself, such as an expiry
)
