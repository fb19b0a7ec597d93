// Package claims seals the claims of callers' tokens, so that the store can keep them until what they
// are for is over:
//
//	a message, a fork, a resumption ── Seal ── with the turn, until it ends
//	a message that is queued ───────── Seal ── with the message, then with its turn
//	a program's question ───────────── Seal ── with the question, until it is closed
//	a run, a search among options ──── Open ── tools.Caller.Claims
//
// Only claims that the configuration names come here (config.Snapshot.Claims).
package claims

import (
	"encoding/json"
	"log/slog"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/tools"
)

// purpose is that of the seals.
const purpose = "askgate claims 1"

// Keeper seals and opens. Safe for concurrent use.
type Keeper struct {
	boxes *seal.Boxes
	log   *slog.Logger
}

// NewKeeper returns a Keeper. secrets is called each time, so that they may change.
func NewKeeper(secrets func() seal.Secrets, log *slog.Logger) *Keeper {
	return &Keeper{seal.NewBoxes(purpose, secrets), log}
}

// content is what is sealed. It says whose claims they are: a person who can write to the store cannot give
// them to someone else.
type content struct {
	Tenant  string            `json:"t"`
	Subject string            `json:"s"`
	Claims  map[string]string `json:"c"`
}

// Seal returns the caller's claims, to be kept with what has the id of.
func (k *Keeper) Seal(of string, who *tools.Caller) (chat.KeptCaller, error) {
	data, err := json.Marshal(content{who.Tenant, who.Subject, who.Claims})
	if err != nil {
		return chat.KeptCaller{}, err
	}
	sealed, err := k.boxes.Seal(data)
	return chat.KeptCaller{Of: of, Tenant: who.Tenant, Subject: who.Subject, Claims: sealed}, err
}

// Open sets the caller's claims to those that were sealed; "" is none. What cannot be opened, or is
// someone else's, counts as none, and is logged.
func (k *Keeper) Open(sealed string, who *tools.Caller) {
	if sealed == "" {
		return
	}
	var c content
	data, ok := k.boxes.Open(sealed)
	if !ok || json.Unmarshal(data, &c) != nil || c.Tenant != who.Tenant || c.Subject != who.Subject {
		k.log.Warn("the claims that were kept for a turn or a question cannot be opened, and count as missing; if auth.session.secret was changed, add the former secret to auth.session.otherSecrets",
			"app", who.App, "chatId", who.Chat)
		return
	}
	who.Claims = c.Claims
}
