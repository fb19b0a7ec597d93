package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// history is the part of a request that determines the script's answer: the same history always
// gets the same answer, also after a crash.
type history struct {
	chat    string        // what the first user message calls it
	text    string        // the newest user message
	users   int           // user messages so far
	step    int           // of this turn, from 0
	results []modelResult // of this turn
}

type modelResult struct{ id, content string }

func recall(b modeltest.Body) history {
	var h history
	for _, m := range b.Messages {
		switch m.Role {
		case "user":
			h = history{chat: h.chat, text: m.Text(), users: h.users + 1}
			if h.users == 1 {
				_, h.chat, _ = strings.Cut(h.text, " ")
			}
		case "assistant":
			h.step++
		case "tool":
			h.results = append(h.results, modelResult{m.ToolCallID, m.Text()})
		}
	}
	return h
}

// callID is the id of a call of the script: it names chat, user message, step and place.
func callID(chat string, user, step, place int) string {
	return fmt.Sprintf("call_%s_%d_%d_%d", chat, user, step, place)
}

// told repeats the results that the model was sent, so that a transcript shows whether they reached
// it.
func (h history) told() string {
	var b strings.Builder
	b.WriteString("I was told")
	for _, r := range h.results {
		fmt.Fprintf(&b, " [%s = %s]", r.id, r.content)
	}
	return b.String() + ". That is all."
}

// unquoted removes told's text about one call from a text.
func unquoted(text, id string) string {
	return regexp.MustCompile(`(?s)\[`+regexp.QuoteMeta(id)+` = .*?\]( \[call_|\. That is all)`).ReplaceAllString(text, "[]$1")
}

// wanted is a call that the script makes.
type wanted struct{ name, arguments string }

func ask(arguments string) wanted { return wanted{"ask_user", arguments} }
func calculate(expression string) wanted {
	return wanted{"calculator", fmt.Sprintf(`{"expression":%q}`, expression)}
}

// named is a call of a tool whose server counts, under its own name.
func (h history) named(tool string, place int) wanted {
	return wanted{tool, fmt.Sprintf(`{"key":%q}`, callID(h.chat, h.users, h.step, place))}
}

// speak is an answer in words with a pause between them, and then calls.
func (h history) speak(pause time.Duration, text string, calls ...wanted) modeltest.Response {
	var r modeltest.Response
	for _, word := range strings.SplitAfter(text, " ") {
		r = append(r, modeltest.Text(word), modeltest.Delay(pause))
	}
	finish := "stop"
	for i, c := range calls {
		r = append(r, modeltest.Call(i, callID(h.chat, h.users, h.step, i), c.name, c.arguments))
		finish = "tool_calls"
	}
	return append(r, modeltest.Finish(finish), modeltest.Tokens(10, int64(len(r))), modeltest.Done())
}

// wordPause makes a stream long enough to be hit.
const wordPause = time.Millisecond

// Texts of the script that a scene waits for.
const (
	textStory = "Once upon a time there was a gateway that lost nothing at all, whatever befell it."
	textWait  = "I begin, and then I wait for you to stop me."
	textHold  = "This takes a while, so that something else can be said meanwhile, and it is not over yet."
)

const (
	askText   = `{"question":"What is your name?","input_type":"text"}`
	askSelect = `{"question":"Which format?","options":[{"label":"PDF","value":"pdf"},{"label":"Word Document","value":"docx"}],"allow_skip":true}`
	askForm   = `{"questions":[{"question":"Which project?"},{"question":"How many?","input_type":"number","allow_skip":true},{"question":"When?","input_type":"date"}]}`
	askSure   = `{"question":"Are you sure?","input_type":"confirm"}`
)

// play is the script: the first word of the newest user message selects the answer.
func play(_ int, r modeltest.Request) modeltest.Response {
	h := recall(r.Body)
	word, _, _ := strings.Cut(h.text, " ")
	first := h.step == 0
	switch {
	case word == "story":
		return h.speak(wordPause, textStory)
	case word == "compute" && first:
		return h.speak(wordPause, "Let me see. ", calculate("17+4"), ask(askText), calculate("17*4"))
	case word == "choose" && first:
		return h.speak(wordPause, "", ask(askSelect))
	case word == "form" && first:
		return h.speak(wordPause, "Three things. ", ask(askForm))
	case word == "pair" && first:
		return h.speak(wordPause, "Two things. ", ask(askSelect), ask(askSure))
	case word == "twice" && first: // the second waits for the first
		return h.speak(wordPause, "Two things. ", ask(askSelect), ask(askSure), ask(askSelect))
	case word == "guard" && first:
		return h.speak(wordPause, "May I? ", calculate("6*7"), ask(askSure), calculate("2*3"), calculate("5*5"))
	case word == "guarded" && first:
		return h.speak(wordPause, "May I? ", h.named(toolPost, 0), h.named(toolRead, 1), h.named(toolPost, 2), calculate("6*7"), h.named(toolPost, 4))
	case word == "keep" && first:
		return h.speak(wordPause, "May I? ", h.named(toolKeep, 0))
	case word == "keep" && h.step == 1:
		return h.speak(wordPause, "And again? ", h.named(toolKeep, 0), h.named(toolKeep, 1))
	case word == "pay" && first:
		return h.speak(wordPause, "May I? ", h.named(toolPay, 0))
	case word == "falter" && first:
		return h.speak(wordPause, "May I? ", h.named(toolPost, 0), ask(askText), h.named(toolRead, 2))
	case word == "chain" && h.step < 3:
		return h.speak(wordPause, fmt.Sprintf("Step %d. ", h.step), calculate(fmt.Sprintf("%d*7", h.step+1)), calculate("1+1"))
	case word == "wait":
		return append(h.speak(wordPause, textWait)[:2*len(strings.Fields(textWait))], modeltest.Stall())
	case word == "still": // nothing that a stop could keep or lose
		return modeltest.Response{modeltest.Stall()}
	case word == "linger" && first:
		return h.speak(wordPause, "", ask(askSelect))
	case word == "linger" && strings.Contains(h.told(), "(pdf)"):
		return modeltest.Response{modeltest.Stall()}
	case word == "hold" && first:
		return h.speak(30*time.Millisecond, textHold, ask(askSelect))
	case word == "many" && first: // more than the caps allow
		return h.speak(0, "", ask(askText), ask(askSelect), ask(askSure), ask(askForm))
	case word == "slow":
		return h.speak(100*time.Millisecond, textSlow)
	case word == "quick":
		return h.speak(0, "Hello.")
	default:
		return h.speak(wordPause, h.told())
	}
}
