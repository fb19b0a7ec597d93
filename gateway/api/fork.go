package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// forkBody is what was posted to fork.
type forkBody struct {
	body
	fork turn.Fork
	to   string // "": the sender names no chat
}

// fork begins a chat with a part of another, and drives the run that it starts.
func (h Messages) fork(r *request) error {
	return h.drive(r, func() (Begun, prepared, error) { return h.submitFork(r) })
}

func (h Messages) submitFork(r *request) (Begun, prepared, error) {
	var b *forkBody
	taken, err := h.prepare(r, func(data []byte) (*body, error) {
		var err error
		b, err = decodeFork(data)
		return &b.body, err
	})
	if err != nil {
		return Begun{}, taken, err
	}
	b.fork.From.ChatID = r.ref.ChatID
	hash := b.hash()
	if b.to == "" {
		b.to = branchID(r.ref.ChatID, taken.key)
	}
	of := r.ref
	r.ref.ChatID = b.to
	begun, err := r.begin(turn.Command{
		Fork: &b.fork, IdempotencyKey: taken.key, Hash: hash, Interactive: b.Interactive == nil || *b.Interactive,
	}, nil)
	if err != nil {
		r.ref = of // whose language the refusal has
		return begun, taken, err
	}
	r.response().about.chatID = b.to
	return begun, taken, nil
}

// hash is the same for bodies that say the same about the same chat.
func (b *forkBody) hash() string {
	data, err := json.Marshal([]any{b.fork, b.to, b.Locale, b.Interactive})
	if err != nil { // values of our own types marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// decodeFork reads the body of fork strictly, as decode does.
func decodeFork(data []byte) (*forkBody, error) {
	b := new(forkBody)
	d, err := openJSON(data)
	if err != nil {
		return b, err
	}
	f := &b.fork
	err = object(d, map[string]field{
		"clarificationId": identifier(&f.From.ClarificationID),
		"messageId":       identifier(&f.From.MessageID),
		"answer":          func(d *jsontext.Decoder) error { f.Answer = new(tools.Answer); return object(d, formFields(f.Answer)) },
		"message":         text(func(s string) { f.Message = &s }),
		"newChatId":       identifier(&b.to),
		"idempotencyKey":  b.readKey,
		"locale":          b.readLocale,
		"interactive":     boolean(func(v bool) { b.Interactive = &v }),
	})
	if err != nil {
		return b, err
	}
	switch {
	case (f.From.ClarificationID == "") == (f.From.MessageID == ""):
		return b, invalid("fork_point", "")
	case f.From.ClarificationID != "" && f.Answer == nil:
		return b, invalid("fork_answer", "answer")
	case f.From.ClarificationID != "" && f.Message != nil:
		return b, invalid("fork_point", "message")
	case f.From.MessageID != "" && f.Answer != nil:
		return b, invalid("fork_point", "answer")
	case b.to != "" && !chatID.MatchString(b.to):
		return b, invalid("chat_id", "newChatId")
	}
	return b, checkMessage(f.Message, "message")
}
