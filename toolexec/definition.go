package toolexec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// identity returns a hash of all that a person and the model see of a tool: its id, its texts in
// all languages and its parameters, as configured or as its server lists them. Where there are rules,
// it includes the one that decides. An approval is valid for one identity.
func (b *bound) identity(name string, r ruling) string {
	def := b.definition("en")
	if b.family != nil {
		for _, d := range b.family.Members("en") {
			if d.Name == name {
				def = d
			}
		}
	}
	parts := []any{
		name, texts(b.entry.Name), texts(b.entry.Description), b.entry.Parameters, def.Description, def.Parameters,
	}
	if rule := r.identity(); rule != nil || b.entry.Respond { // without them, the hash is as it always was
		parts = append(parts, rule, b.entry.Respond)
	}
	written, err := json.Marshal(parts)
	if err != nil { // cannot happen for texts and checked JSON
		panic(err)
	}
	sum := sha256.Sum256(written)
	return hex.EncodeToString(sum[:])
}

// texts returns a text in each of its languages.
func texts(t config.Text) [][2]string {
	list := [][2]string{{"", t.In("")}}
	for _, language := range t.Languages() {
		list = append(list, [2]string{language, t.In(language)})
	}
	return list
}

// parameters returns the JSON Schema that the model gets for a tool.
func (b *bound) parameters(name, language string) json.RawMessage {
	if b.family == nil {
		return b.definition(language).Parameters
	}
	for _, d := range b.family.Members(language) {
		if d.Name == name {
			return d.Parameters
		}
	}
	return nil
}

// identify binds an approval to the tool's current definition, and adds what its parameters say
// about the arguments.
func (b *bound) identify(q *tools.Question, call tools.Call, r ruling) {
	q.Definition = b.identity(call.Name, r)
	schema := b.parameters(call.Name, call.Language)
	q.Titles, q.Unknown = arguments.Titles(schema), arguments.Unknown(call.Arguments, schema)
}
