package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// The starters of the built-in apps begin chats as a model would have them, while each of the menu's
// scenes shows one thing.

// project is the template of the report scene, and booking the tool of the trip scene.
const (
	project = "demo_project"
	booking = "demo_booking"
)

// places lists the destinations of the trip, the recommended one first.
var places = []string{"sea", "mountains", "city"}

// trip asks for all that a plan needs in one form, makes the plan with the answers, and books it if a
// person allows that.
func (p player) trip(results []string) step {
	if len(results) == 0 {
		where, wish, when := p.titled("trip.where", "select"), p.titled("trip.wish", "text"), p.titled("trip.when", "date")
		where.Options = p.options("demo.trip.place.", places...)
		where.Options[0].Recommended, where.Options[0].Description = true, p.say("demo.trip.recommended", nil)
		where.AllowOther = true
		wish.Placeholder = p.say("demo.trip.wish.placeholder", nil)
		wish.AllowSkip, when.AllowSkip = true, true
		return p.ask(p.say("demo.trip.intro", nil), question{Questions: []question{where, wish, when}})
	}
	first := read(results[0])
	if first.kind == refused {
		return p.close(first)
	}
	t := p.planned(first)
	if len(results) > 1 {
		return step{text: p.booked(read(results[1])) + "\n\n" + p.say("demo.more", nil)}
	}
	text := p.plan(t)
	if first.kind != answered {
		text = p.say("demo."+string(first.kind), nil)
	}
	switch {
	case t.place == "" || t.day.IsZero():
		return step{text: text + "\n\n" + p.say("demo.trip.open", nil) + "\n\n" + p.say("demo.more", nil)}
	case !p.offers(booking):
		return step{text: text + "\n\n" + p.say("demo.more", nil)}
	}
	return p.call(text+"\n\n"+p.say("demo.trip.allow", nil), booking, map[string]string{
		"destination": t.place, "from": t.day.Format(time.DateOnly),
	})
}

// answers has the answers about a trip. Fields without an answer are empty.
type answers struct {
	known string // one of places, or "" for a place in the person's own words
	place string
	wish  string
	day   time.Time
}

// planned reads the answers to the trip's form.
func (p player) planned(r result) answers {
	if r.kind != answered {
		return answers{}
	}
	parts := formAnswers(r.text)
	t := answers{wish: parts[2]}
	t.day, _ = time.Parse(time.DateOnly, parts[3]) // zero without an answer
	own, isOwn := strings.CutPrefix(parts[1], "Other: ")
	if isOwn {
		t.place = own
		return t
	}
	for _, place := range places {
		if value(parts[1]) == place {
			t.known, t.place = place, p.say("demo.trip.place."+place, nil)
		}
	}
	return t
}

// plan returns the plan as Markdown, including what is still open.
func (p player) plan(t answers) string {
	line := func(id, value string) string {
		if value == "" {
			return "- " + p.say("demo.trip.plan."+id+"_open", nil)
		}
		return "- " + p.say("demo.trip.plan."+id, map[string]any{"Value": value})
	}
	day := ""
	if !t.day.IsZero() {
		day = t.day.Format(time.DateOnly)
	}
	lines := []string{p.say("demo.trip.plan", nil), "", line("where", t.place), line("when", day), line("wish", t.wish)}
	if t.place == "" {
		return strings.Join(lines, "\n")
	}
	kind := t.known
	if kind == "" {
		kind = "own"
	}
	lines = append(lines, "")
	for n := 1; n <= 2; n++ {
		lines = append(lines, fmt.Sprintf("%d. %s", n, p.say(fmt.Sprintf("demo.trip.day.%s.%d", kind, n), nil)))
	}
	return strings.Join(lines, "\n")
}

// booked returns the text about the result of the booking.
func (p player) booked(r result) string {
	switch r.kind {
	case answered:
		var made struct{ Reference, Destination, From, To string }
		_ = json.NewDecoder(strings.NewReader(r.text)).Decode(&made) // a note may follow
		return p.say("demo.trip.booked", map[string]any{"Reference": made.Reference, "Destination": made.Destination, "From": made.From, "To": made.To})
	case refused:
		return p.say("demo.error", map[string]any{"Code": r.code, "Message": r.text})
	default:
		return p.say("demo.trip.refused", nil)
	}
}

// formAnswer matches a line "Q1 (the question): the answer" of a form's result.
var formAnswer = regexp.MustCompile(`^Q([1-9]) \(.*?\): (.*)$`)

// formAnswers returns the answers to a form by number, each in one line. Questions without an answer
// are left out.
func formAnswers(result string) map[int]string {
	given := map[int]string{}
	at := 0
	for line := range strings.SplitSeq(result, "\n") {
		if m := formAnswer.FindStringSubmatch(line); m != nil {
			at = int(m[1][0] - '0')
			given[at] = strings.TrimSpace(m[2])
			if given[at] == "(skipped)" || given[at] == "(declined)" || given[at] == "(not asked)" {
				delete(given, at)
			}
		} else if more, is := strings.CutPrefix(line, "  "); is && given[at] != "" {
			given[at] += " " + strings.TrimSpace(more)
		}
	}
	return given
}

// report asks for a project with a template whose options come from a tool. If the template is not
// offered, it asks with a form of its own.
func (p player) report(results []string) step {
	if len(results) > 0 {
		r := read(results[0])
		if r.kind != answered {
			return p.close(r)
		}
		label, _, _ := strings.Cut(r.text, "\n")
		name := strings.TrimSuffix(label, " ("+value(label)+")")
		return step{text: p.say("demo.report.done", map[string]any{"Project": name, "Value": value(label)}) + "\n\n" + p.say("demo.more", nil)}
	}
	for _, t := range p.req.Tools {
		if t.Name == askUser && strings.Contains(string(t.Parameters), project) {
			return p.call(p.say("demo.report.intro", nil), askUser, map[string]string{"template": project})
		}
	}
	return p.play(sceneForm, nil)
}

// meeting makes a sloppy call, which the gateway repairs, and then one that it refuses.
func (p player) meeting(results []string) step {
	if len(results) == 0 {
		return p.call(p.say("demo.meeting.intro", nil)+" "+p.say("demo.repair.intro", nil), askUser, p.sloppy())
	}
	when, last := read(results[0]), read(results[len(results)-1])
	switch {
	case when.kind != answered:
		return p.close(when)
	case len(results) == 1:
		// The pattern is that of the scene "refused".
		return p.ask(p.say("demo.answered", map[string]any{"Answer": when.text})+"\n\n"+p.say("demo.refused.intro", nil), p.named("meeting", "([a-z0-9]+)+"))
	case len(results) == 2 && last.kind == refused:
		return p.ask(p.say("demo.refused.again", map[string]any{"Code": last.code, "Message": last.text}), p.named("meeting", "[a-z0-9]{2,20}"))
	case last.kind != answered:
		return p.close(last)
	}
	return step{text: p.say("demo.meeting.done", map[string]any{"When": when.text, "Name": last.text}) + "\n\n" + p.say("demo.more", nil)}
}
