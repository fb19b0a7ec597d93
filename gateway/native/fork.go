package native

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

type forkBody struct {
	body
	fork turn.Fork
	to   string // "": the sender names no chat
}

// Fork begins a chat with a part of another, and drives the run that this starts.
func (h Messages) Fork(r *host.Request) error {
	return h.drive(r, func() (host.Begun, prepared, error) { return h.submitFork(r) })
}

func (h Messages) submitFork(r *host.Request) (host.Begun, prepared, error) {
	var b *forkBody
	taken, err := h.prepare(r, func(data []byte) (*body, error) {
		var err error
		b, err = decodeFork(data)
		return &b.body, err
	})
	if err != nil {
		return host.Begun{}, taken, err
	}
	b.fork.From.ChatID = r.Ref.ChatID
	hash := b.hash()
	if b.to == "" {
		b.to = host.BranchID(r.Ref.ChatID, taken.key)
	}
	of := r.Ref
	r.Ref.ChatID = b.to
	begun, err := r.Begin(turn.Command{
		Fork: &b.fork, IdempotencyKey: taken.key, Hash: hash, Interactive: b.Interactive == nil || *b.Interactive,
	}, nil)
	if err != nil {
		r.Ref = of // the refusal is in this chat's language
		return begun, taken, err
	}
	r.Response().About.ChatID = b.to
	return begun, taken, nil
}

// hash is equal for bodies that say the same about the same chat.
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
	d, err := host.OpenJSON(data)
	if err != nil {
		return b, err
	}
	f := &b.fork
	err = host.Object(d, map[string]host.Field{
		"clarificationId": host.Identifier(&f.From.ClarificationID),
		"messageId":       host.Identifier(&f.From.MessageID),
		"answer": func(d *jsontext.Decoder) error {
			f.Answer = new(tools.Answer)
			return host.Object(d, formFields(f.Answer))
		},
		"message":        host.String(func(s string) { f.Message = &s }),
		"newChatId":      host.Identifier(&b.to),
		"stop":           host.Bool(func(v bool) { f.Stop = v }),
		"idempotencyKey": b.readKey,
		"locale":         b.readLocale,
		"interactive":    host.Bool(func(v bool) { b.Interactive = &v }),
	})
	if err != nil {
		return b, err
	}
	switch {
	case (f.From.ClarificationID == "") == (f.From.MessageID == ""):
		return b, host.Invalid("fork_point", "")
	case f.From.ClarificationID != "" && f.Answer == nil:
		return b, host.Invalid("fork_answer", "answer")
	case f.From.ClarificationID != "" && f.Message != nil:
		return b, host.Invalid("fork_point", "message")
	case f.From.MessageID != "" && f.Answer != nil:
		return b, host.Invalid("fork_point", "answer")
	case b.to != "" && !host.ChatID.MatchString(b.to):
		return b, host.Invalid("chat_id", "newChatId")
	}
	return b, host.CheckMessage(f.Message, "message")
}
