package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/model"
)

// The tools that the script calls.
const (
	askUser    = "ask_user"
	calculator = "calculator"
)

// question has the arguments of an ask_user call that the demo uses.
type question struct {
	Question    string      `json:"question,omitempty"`
	Header      string      `json:"header,omitempty"`
	InputType   string      `json:"input_type,omitempty"`
	Options     []option    `json:"options,omitempty"`
	AllowOther  bool        `json:"allow_other,omitempty"`
	AllowSkip   bool        `json:"allow_skip,omitempty"`
	Placeholder string      `json:"placeholder,omitempty"`
	Validation  *validation `json:"validation,omitempty"`
	Questions   []question  `json:"questions,omitempty"`
}

type option struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Recommended bool   `json:"recommended,omitempty"`
}

type validation struct {
	Pattern string `json:"pattern,omitempty"`
	Min     any    `json:"min,omitempty"`
	Max     any    `json:"max,omitempty"`
	Integer bool   `json:"integer,omitempty"`
	Message string `json:"message,omitempty"`
}

// player makes the steps of one request.
type player struct {
	texts Texts
	req   model.Request
	user  string
}

func (p player) say(id string, data map[string]any) string {
	return p.texts(p.req.Language, id, data)
}

// play makes a scene's next step from its results so far.
func (p player) play(sc scene, results []string) step {
	last := result{}
	if len(results) > 0 {
		last = read(results[len(results)-1])
	}
	switch {
	case sc == sceneTrip:
		return p.trip(results)
	case sc == sceneReport:
		return p.report(results)
	case sc == sceneMeeting:
		return p.meeting(results)
	case sc == sceneCalculate:
		return p.calculate(last)
	case sc == sceneTranslate && last.kind == "":
		return p.ask(p.say("demo.translate.intro", nil), p.single(sceneSelect))
	case sc == sceneTranslate && last.kind == answered:
		answer, _, _ := strings.Cut(last.text, "\n") // a note may follow
		return step{text: p.say("demo.translate.done", map[string]any{"Answer": answer}) + "\n\n" + p.say("demo.more", nil)}
	case sc == sceneCap && (last.kind == "" || last.kind == answered):
		return p.again(len(results)+1, last)
	case sc == sceneRefused && len(results) == 1 && last.kind == refused:
		return p.ask(p.say("demo.refused.again", map[string]any{"Code": last.code, "Message": last.text}), p.named("refused", "[a-z0-9]{2,20}"))
	case last.kind != "":
		return p.close(last)
	case sc == sceneRepair:
		return p.call(p.say("demo.repair.intro", nil), askUser, p.sloppy())
	case sc == sceneRefused:
		// Either plus can match each letter: matching takes exponential time, so the gateway refuses it.
		return p.ask(p.say("demo.refused.intro", nil), p.named("refused", "([a-z0-9]+)+"))
	default:
		return p.ask(p.say("demo."+string(sc)+".intro", nil), p.single(sc))
	}
}

// close ends a scene with a text that repeats the answer, or says why there is none.
func (p player) close(last result) step {
	data := map[string]any{"Answer": last.text}
	if last.kind == refused {
		data = map[string]any{"Code": last.code, "Message": last.text}
		if last.code == "CLARIFICATION_LIMIT_REACHED" {
			return step{text: p.say("demo.cap.reached", data)}
		}
	}
	text := p.say("demo."+string(last.kind), data)
	if p.offers(lawSearch) { // that app has no menu
		return step{text: text}
	}
	return step{text: text + "\n\n" + p.say("demo.more", nil)}
}

// again asks question number n of the cap scene, after the answer before it.
func (p player) again(n int, last result) step {
	intro := p.say("demo.cap.intro", nil)
	if last.kind == answered {
		intro = p.say("demo.answered", map[string]any{"Answer": last.text})
	}
	number := map[string]any{"Number": n}
	return p.ask(intro, question{
		Question: p.say("demo.cap.question", number), Header: p.say("demo.cap.header", number), InputType: "confirm",
	})
}

func (p player) calculate(last result) step {
	e := calculation(p.user)
	switch last.kind {
	case "":
		return p.call(p.say("demo.calculate.intro", map[string]any{"Expression": e}), calculator, map[string]string{"expression": e})
	case answered:
		return step{text: p.say("demo.calculate.result", map[string]any{"Expression": e, "Result": last.text})}
	default:
		return p.close(last)
	}
}

func (p player) ask(text string, q question) step { return p.call(text, askUser, q) }

// call makes a step that calls a tool, or a text if the tool is not offered. The call's id counts the
// calls of the prompt, so that the same prompt always gets the same id.
func (p player) call(text, tool string, arguments any) step {
	if !p.offers(tool) {
		id := "demo.cannotask"
		if tool == calculator {
			id = "demo.nocalculator"
		}
		return step{text: p.say(id, nil)}
	}
	n := 1
	for _, m := range p.req.Messages {
		n += len(m.ToolCalls)
	}
	raw, _ := json.Marshal(arguments) // strings, numbers and booleans only: cannot fail
	return step{text: text, call: &model.ToolCall{ID: fmt.Sprintf("call_%d", n), Name: tool, Arguments: string(raw)}}
}

func (p player) offers(tool string) bool {
	return slices.ContainsFunc(p.req.Tools, func(t model.Definition) bool { return t.Name == tool })
}

// menu returns the question which scene to show.
func (p player) menu() question {
	q := p.titled("menu", "select")
	for _, sc := range scenes {
		q.Options = append(q.Options, option{Label: p.say("demo.menu."+string(sc), nil), Value: string(sc)})
	}
	return q
}

// titled returns a question with the texts that every scene has.
func (p player) titled(name, inputType string) question {
	return question{
		Question: p.say("demo."+name+".question", nil), Header: p.say("demo."+name+".header", nil), InputType: inputType,
	}
}

func (p player) options(prefix string, values ...string) []option {
	list := make([]option, 0, len(values))
	for _, v := range values {
		list = append(list, option{Label: p.say(prefix+v, nil), Value: v})
	}
	return list
}

// single returns the question of a scene with only one call.
func (p player) single(sc scene) question {
	if sc == sceneForm {
		project, format, due := p.titled("form.project", "text"), p.titled("form.format", "select"), p.titled("date", "date")
		format.Options = p.options("demo.form.format.", "pdf", "docx")
		due.AllowSkip = true
		return question{Questions: []question{project, format, due}}
	}
	q := p.titled(string(sc), string(sc))
	switch sc {
	case sceneText:
		q.Placeholder = "AB-123"
		q.Validation = &validation{Pattern: `[A-Z]{2}-[0-9]{3}`, Message: p.say("demo.text.message", nil)}
	case sceneSelect:
		q.Options = p.options("demo.language.", "fr", "de", "es", "en")
		q.Options[0].Recommended, q.Options[0].Description = true, p.say("demo.select.recommended", nil)
		q.AllowOther = true
	case sceneMultiselect:
		q.Options = p.options("demo.section.", "summary", "figures", "sources", "outlook")
		q.Validation = &validation{Min: 1, Max: 3}
	case sceneNumber:
		q.Validation = &validation{Min: 1, Max: 10, Integer: true, Message: p.say("demo.number.message", nil)}
	case sceneDate:
		q.AllowSkip = true
		q.Validation = &validation{Min: "2000-01-01", Max: "2099-12-31"}
	default: // confirm has nothing to add
	}
	return q
}

// named returns the question for a name of lower-case letters and digits.
func (p player) named(name, pattern string) question {
	q := p.titled(name, "text")
	q.Validation = &validation{Pattern: pattern, Message: p.say("demo.refused.message", nil)}
	return q
}

// sloppy returns arguments as weak models write them: JSON within a string, another name for the type,
// plain strings as options, a word for a boolean.
func (p player) sloppy() string {
	raw, _ := json.Marshal(map[string]any{ // cannot fail, as in call
		"question": p.say("demo.repair.question", nil),
		"type":     "single_choice",
		"options": []string{
			p.say("demo.repair.morning", nil), p.say("demo.repair.noon", nil), p.say("demo.repair.evening", nil),
		},
		"allowOther": "true",
	})
	return string(raw)
}
