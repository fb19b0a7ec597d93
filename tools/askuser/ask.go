package askuser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/secret"
)

// Run returns the question as an Outcome, or a *tools.Error that refuses the arguments. It
// does not wait for an answer and keeps no state.
func (t *Tool) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	r := newReader(terms{limits: t.limits.of(call), words: t.wordsOf(call.Language), language: call.Language, templates: t.templates, exact: call.Program})
	parts := r.parts(call.Arguments)
	t.checkSecrets(r, parts)
	if len(r.faults) > 0 {
		return tools.Outcome{}, r.refusal()
	}
	return tools.Outcome{
		Question: &tools.Question{Kind: tools.KindQuestion, Parts: parts, MaxAnswer: t.limits.MaxAnswer, Sources: r.sources, ExpiresIn: r.expires, Again: r.again, Values: r.values},
		Repairs:  r.repairs,
	}, nil
}

func (r *reader) parts(arguments string) []tools.Part {
	v, err := parse(arguments)
	if err != nil {
		var f *fault
		errors.As(err, &f)
		r.faults = append(r.faults, f)
		return nil
	}
	o, ok := r.unnest(v).(*object)
	if !ok {
		r.faults = append(r.faults, &fault{reason: ReasonNotObject, text: "The arguments must be one JSON object with `question` or `questions`."})
		return nil
	}
	top := r.partFields(o)
	r.spell("", top)
	list := r.questions(top)
	if len(list) == 0 {
		parts := []tools.Part{r.part("", top)}
		tools.Identify(parts)
		r.whens.conditions(parts)
		return parts
	}
	r.listing = true
	r.expiry("", top[fieldExpiry])
	r.askAgain("", top[fieldAgain])
	if len(list) > r.limits.MaxQuestions {
		r.refuse(ReasonTooManyQuestions, "questions", " has %d questions, the limit is %d: ask the most important ones.", len(list), r.limits.MaxQuestions)
		return nil
	}
	parts := make([]tools.Part, 0, len(list))
	for i, item := range list {
		path := fmt.Sprintf("questions[%d]", i)
		r.index = i
		switch item := item.(type) {
		case map[string]any:
			parts = append(parts, r.part(path+".", item))
		default:
			r.refuse(ReasonWrongKind, path, " must be an object with `question`.")
		}
	}
	tools.Identify(parts)
	if len(parts) == len(list) { // otherwise their indexes have moved
		r.whens.conditions(parts)
	}
	return parts
}

// questions reads the list of questions. It returns the fields of each, or the item
// unchanged if it is not an object. A question next to the list is added to it.
func (r *reader) questions(top map[string]any) []any {
	v := r.unnest(top["questions"])
	list, ok := v.([]any)
	if !ok && v != nil {
		list = []any{v}
		r.repaired(RepairQuestionsShape)
	}
	if len(list) == 0 || len(list) > r.limits.MaxQuestions {
		return list
	}
	out := make([]any, 0, len(list)+1)
	for _, item := range list {
		if s, isText := item.(string); isText {
			if o, isObject := r.unnest(s).(*object); isObject {
				item = o
			} else {
				item = map[string]any{"question": s}
				r.repaired(RepairQuestionsShape)
			}
		}
		if o, isObject := item.(*object); isObject {
			item = r.partFields(o)
		}
		out = append(out, item)
	}
	text, _ := top["question"].(string)
	if tools.Blank(text) && top["template"] == nil {
		r.options.hand(top, out)
		return out
	}
	first, _ := out[0].(map[string]any)
	switch {
	case top["input_type"] != nil || top[fieldOptions] != nil || top["template"] != nil:
		out = append([]any{top}, out...)
		r.repaired(RepairQuestionsShape)
	case first != nil && first["question"] != top["question"] && first["context"] == nil:
		first["context"] = text
		r.repaired(RepairQuestionsShape)
	default:
		r.repaired(RepairDropped)
	}
	return out
}

// part reads one question. path is empty or ends in a dot.
func (r *reader) part(path string, f map[string]any) tools.Part {
	r.spell(path, f)
	if f["template"] != nil && len(r.templates) > 0 {
		return r.templated(path, f)
	}
	r.expiry(path, f[fieldExpiry])
	r.askAgain(path, f[fieldAgain])
	r.whens.keep(f[fieldWhen])
	before := len(r.faults)
	p := tools.Part{
		ID:          r.id(f[fieldID]),
		Key:         r.key(path, f[fieldKey]),
		Question:    r.question(path+"question", f["question"]),
		Header:      r.cosmetic(path+"header", f["header"], maxHeader),
		AllowSkip:   r.boolean(path+"allow_skip", f["allow_skip"]) || r.alwaysSkips(f["allow_skip"]),
		Placeholder: r.cosmetic(path+"placeholder", f["placeholder"], maxPlaceholder),
		Context:     r.cosmetic(path+"context", f["context"], maxContext),
	}
	if required, there := f["required"]; there && f["allow_skip"] == nil {
		p.AllowSkip = !r.boolean(path+"required", required) || p.AllowSkip
		r.repaired(RepairKeyName)
	}
	options, readable := r.options.given(path, f)
	multiple := r.boolean(path+"multiple", f["multiple"])
	kind, integer, ok := r.inputType(path+"input_type", f["input_type"], len(options) > 0 || r.listed, multiple)
	if !ok {
		return p
	}
	kind, p.Format = r.format(path, f, kind)
	other := f["allow_other"]
	if len(options) > 0 {
		if kind, other, ok = r.options.choice(path, f, kind, multiple, options); !ok {
			return p
		}
	}
	p.InputType, p.AllowOther = kind, r.allowOther(path+"allow_other", other, kind)
	switch {
	case kind.HasOptions():
		if r.listed || !readable {
			break
		}
		p.Options = r.options.options(path+fieldOptions, options, kind)
		if p.AllowOther {
			p.Options = r.options.withoutOther(p.Options)
		}
	case kind == tools.Confirm:
		p.Options, _ = r.options.yesOrNo(options)
	}
	switch kind {
	case tools.File:
		r.rules.files(path, f, &p)
	case tools.Rank:
		r.rankable(path, &p)
	case tools.Scale:
		p.Scale = r.rules.ends(path+fieldScale, f[fieldScale])
	default:
		if !empty(f[fieldScale]) {
			r.repaired(RepairDropped)
		}
	}
	p.Validation = r.rules.validation(path+"validation", f, p, integer)
	if len(r.faults) == before {
		p.Default = r.standard(path+fieldDefault, f[fieldDefault], p)
	}
	return p
}

// checkSecrets refuses or marks the parts that ask for a secret.
func (t *Tool) checkSecrets(r *reader, parts []tools.Part) {
	if t.limits.Secrets == SecretsAllow {
		return
	}
	for _, found := range t.secrets.Find(parts) {
		if t.limits.Secrets == SecretsWarn {
			parts[found.Part].Secret = string(found.Kind)
			continue
		}
		path := ""
		if r.listing {
			path = fmt.Sprintf("questions[%d].", found.Part)
		}
		r.index = found.Part
		r.refuse(ReasonSecret, path+found.Field, " asks for %s. Do not ask for secrets here: this chat is stored and sent to a language model. Ask the user to enter it where it belongs, such as the settings of the service that needs it, or go on without it. If you only want to know something about it, make that clear. Only the admin can allow such questions (clarifications.secrets).",
			secretNames[found.Kind])
	}
}

// secretNames has the kinds of secrets as the message of a refusal names them.
var secretNames = map[secret.Kind]string{
	secret.Password: "a password or login data", secret.PIN: "a PIN", secret.Code: "a one-time, verification or recovery code",
	secret.Card: "payment card data", secret.Key: "a private key, an API key, a token or a connection string",
	secret.Identity: "a passport, insurance, tax or social security number",
}

// The values of a confirm's options.
const (
	valueYes = "yes"
	valueNo  = "no"
)

func (r *reader) question(path string, v any) string {
	s, isText := v.(string)
	switch {
	case v == nil:
		r.refuse(ReasonBlankQuestion, path, " is missing: write the question, 1 to %d characters.", maxQuestion)
		return ""
	case !isText:
		r.refuse(ReasonWrongKind, path, " must be a text: send a JSON string of 1 to %d characters.", maxQuestion)
		return ""
	case tools.Blank(s):
		r.refuse(ReasonBlankQuestion, path, " is blank: write the question, 1 to %d characters that can be seen.", maxQuestion)
		return ""
	}
	s = r.shown(s)
	r.atMost(path, s, maxQuestion, "shorten it, and put details into `context`")
	return s
}

// inputType reads the input type; ok is false if it is refused. If v is missing, the
// options decide. multiple is the flag of systems that have no multiselect type.
func (r *reader) inputType(path string, v any, options, multiple bool) (kind tools.InputType, integer, ok bool) {
	if s, isText := v.(string); isText && tools.Blank(s) {
		v = nil
	}
	switch word := v.(type) {
	case nil:
		r.repaired(RepairTypeMissing)
		if kind = tools.Text; options {
			kind = tools.Select
		}
	case string:
		c := canonical(strings.TrimSpace(word))
		known, found := typeWords[c]
		if !found {
			r.refuse(ReasonUnknownType, path, " %s is unknown: use %s.", quoted(word), typeList())
			return "", false, false
		}
		if kind = tools.InputType(known); kind == tools.File && r.limits.MaxFile <= 0 {
			r.refuse(ReasonNoFiles, path, " is %s, but files are not accepted here: ask for the text that matters.", quoted(word))
			return "", false, false
		}
		if known != word {
			r.repaired(RepairTypeWord)
		}
		integer = slices.Contains(strings.Fields(integerWords), c)
	default:
		r.refuse(ReasonWrongKind, path, " must be a text: one of %s.", typeList())
		return "", false, false
	}
	if multiple && kind == tools.Select {
		r.repaired(RepairTypeWord)
		kind = tools.Multiselect
	}
	return kind, integer, true
}

// partFields returns the fields of one question. It accepts a template's values next to the
// template's name as well as in `values`.
func (r *reader) partFields(o *object) map[string]any {
	if len(r.templates) == 0 {
		f := r.fields(o, partNames)
		r.options.keepLists(o, f)
		return f
	}
	f := r.fields(o, templatedNames)
	r.options.keepLists(o, f)
	if s, isText := f["template"].(string); isText && tools.Blank(s) {
		delete(f, "template")
	}
	if f["template"] != nil && f["values"] == nil {
		f["values"] = o
	}
	return f
}
