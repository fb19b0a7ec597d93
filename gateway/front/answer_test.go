package front_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

func question(parts ...tools.Part) *chat.Clarification {
	return &chat.Clarification{ID: "clr_1", Question: tools.Question{Kind: tools.KindQuestion, Parts: parts}}
}

var (
	city = tools.Part{ID: "city", Question: "Which city?", Header: "City", InputType: tools.Select, AllowOther: true, Options: []tools.Option{
		{Label: "Berlin, Germany", Value: "ber"}, {Label: "Paris, France", Value: "par"},
	}}
	days = tools.Part{ID: "days", Question: "Which days?", InputType: tools.Multiselect, AllowOther: true, Options: []tools.Option{
		{Label: "Monday", Value: "mo"}, {Label: "Tuesday", Value: "tu"},
	}}
	age  = tools.Part{ID: "age", Question: "How old?", InputType: tools.Number, AllowSkip: true}
	sure = tools.Part{ID: "sure", Question: "Sure?", InputType: tools.Confirm, Options: []tools.Option{{Label: "Yes", Value: "yes"}, {Label: "No", Value: "no"}}}
	// sound depends on sure: a client that does not support conditions asks it anyway.
	sound = tools.Part{ID: "sound", Question: "How?", InputType: tools.Text, When: &tools.When{Question: "sure", Is: []string{"yes"}}}
	name  = tools.Part{ID: "name", Question: "Your name?", InputType: tools.Text}
	// These take own words.
	count  = tools.Part{ID: "count", Question: "How many?", InputType: tools.Number, AllowOther: true}
	onDay  = tools.Part{ID: "day", Question: "Which day?", InputType: tools.Date, AllowOther: true}
	moment = tools.Part{ID: "moment", Question: "When?", InputType: tools.Datetime, AllowOther: true}
	agreed = tools.Part{ID: "agreed", Question: "Agreed?", InputType: tools.Confirm, AllowOther: true, Options: []tools.Option{{Label: "Ja", Value: "yes"}, {Label: "Nein", Value: "no"}}}
)

var approval = &chat.Clarification{ID: "clr_1", Question: tools.Question{Kind: tools.KindApproval, Parts: []tools.Part{sure}}}

// words accepts no text, so that the result of the reader itself is visible.
func words(string) (turn.Answer, bool) { return turn.Answer{}, false }

// Every form in which a client sends an answer gives the same result.
func TestAnswersOfEveryShape(t *testing.T) {
	for _, test := range []struct {
		of   *chat.Clarification
		sent []string
		want string // tools.Answer
	}{
		{question(city), []string{
			`{"answers":{"city":"par"}}`, `{"answers":{"city":"Paris, France"}}`, `{"answers":{"Which city?":"Paris, France"}}`, `{"answers":{"City":"par"}}`,
			`{"answers":{"city":{"value":"par"}}}`, `{"answers":{"city":["par"]}}`, `{"answers":["par"]}`, `{"answers":[{"value":"par"}]}`, `{"value":"par"}`, `{"city":"par"}`,
			`{"action":"accept","content":{"city":"par"}}`, `"par"`, `"Paris, France"`, `["par"]`, `"{\"answers\":{\"city\":\"par\"}}"`, `"{\"value\":\"par\"}"`, ` "par" `,
		}, `{"value":"par"}`},
		{question(city), []string{`"Rome"`, `{"answers":{"city":"Rome"}}`, `{"answers":{"city":{"other":"Rome"}}}`, `{"other":"Rome"}`}, `{"other":"Rome"}`},
		{question(city), []string{`{"action":"decline"}`, `{"action":"cancel"}`, `{"declined":true}`, `{"answers":{},"declined":true}`}, `{"declined":true}`},
		{question(age), []string{`{"answers":{"age":null}}`, `null`, `{"skipped":true}`, `{"answers":[null]}`, `{"answers":{}}`, `{"answers":null}`}, `{"skipped":true}`},
		{question(age), []string{`36`, `"36"`, `{"answers":{"age":36}}`, `{"answers":{"age":"36"}}`, `{"value":36}`}, `{"value":36}`},
		{question(days), []string{
			`{"answers":{"days":["mo","tu"]}}`, `["mo","tu"]`, `{"values":["mo","tu"]}`, `{"answers":{"days":"Monday, Tuesday"}}`, `"Monday, Tuesday"`, `{"answers":{"days":{"values":["mo","tu"]}}}`,
		}, `{"values":["mo","tu"]}`},
		{question(days), []string{`["mo","Someday"]`, `{"answers":{"days":["Monday","Someday"]}}`}, `{"values":["mo"],"other":"Someday"}`},
		{question(sure), []string{`true`, `"yes"`, `"Yes"`, `{"answers":{"sure":true}}`, `{"value":"yes"}`}, `{"value":"yes"}`},
		{question(name), []string{`"{\"a\":1}"`, `{"answers":{"name":"{\"a\":1}"}}`}, `{"value":"{\"a\":1}"}`},
		{question(name), []string{`{"value":"Ada","note":"as you see"}`, `{"answers":{"name":{"value":"Ada","note":"as you see"}}}`}, `{"value":"Ada","note":"as you see"}`},
		{question(name, age), []string{
			`{"answers":{"age":36,"name":"Ada"}}`, `{"answers":["Ada",36]}`, `["Ada",36]`, `{"answers":[{"value":"Ada"},{"value":36}]}`, `{"age":36,"name":"Ada"}`,
			`{"action":"accept","content":{"name":"Ada","age":36}}`, `{"answers":{"Your name?":"Ada","age":36}}`, `"{\"answers\":{\"name\":\"Ada\",\"age\":36}}"`,
		}, `{"answers":[{"value":"Ada"},{"value":36}]}`},
		{question(name, age), []string{`{"answers":{"name":"Ada"}}`, `{"answers":{"name":"Ada","age":null}}`}, `{"answers":[{"value":"Ada"},{"skipped":true}]}`},
		{question(name, age), []string{`{"answers":{"age":36}}`}, `{"answers":[{},{"value":36}]}`}, // the check asks for the name
		{question(sure, sound), []string{`{"answers":{"sure":false,"sound":"loud"}}`, `{"answers":["no",""]}`, `{"sure":"No"}`, `{"action":"accept","content":{"sure":false,"sound":null}}`}, `{"answers":[{"value":"no"},{"skipped":true}]}`},
		{question(sure, sound), []string{`{"answers":{"sure":true,"sound":"loud"}}`, `["Yes","loud"]`}, `{"answers":[{"value":"yes"},{"value":"loud"}]}`},
		{question(sure, sound), []string{`{"answers":{"sure":true}}`}, `{"answers":[{"value":"yes"},{}]}`}, // the check asks for it
		// What is not meant as a number, a date, a time, or a yes or no is own words; the check says what is wrong with the rest.
		{question(count), []string{`"about five"`, `["about five"]`, `{"answers":{"count":"about five"}}`, `{"answers":["about five"]}`, `{"other":"about five"}`, `{"answers":{"count":{"other":"about five"}}}`, `{"count":"about five"}`}, `{"other":"about five"}`},
		{question(count), []string{`5`, `"5"`, `{"answers":{"count":" 5 "}}`}, `{"value":5}`},
		{question(count), []string{`"1,5"`, `{"answers":{"count":"1,5"}}`}, `{"value":"1,5"}`},
		{question(count), []string{`"10-20"`}, `{"other":"10-20"}`},
		{question(onDay), []string{`"on Monday"`, `{"answers":{"day":"on Monday"}}`, `{"action":"accept","content":{"day":"on Monday"}}`}, `{"other":"on Monday"}`},
		{question(onDay), []string{`"2026-13-01"`, `{"day":"2026-13-01"}`}, `{"value":"2026-13-01"}`},
		{question(moment), []string{`"tomorrow at 9"`}, `{"other":"tomorrow at 9"}`},
		{question(moment), []string{`"2026-12-31T09:00:00Z"`}, `{"value":"2026-12-31T09:00:00Z"}`},
		{question(moment), []string{`"2026-12-31 09:00"`}, `{"value":"2026-12-31 09:00"}`},
		{question(agreed), []string{`"only on Mondays"`, `{"answers":{"agreed":"only on Mondays"}}`}, `{"other":"only on Mondays"}`},
		{question(agreed), []string{`"Ja"`, `"yes"`, `true`, `{"agreed":true}`}, `{"value":"yes"}`},
		{question(agreed), []string{`"TRUE"`, `{"agreed":"TRUE"}`}, `{"value":"TRUE"}`},
		{question(count, onDay), []string{`["a few","soon"]`, `{"answers":{"count":"a few","day":"soon"}}`}, `{"answers":[{"other":"a few"},{"other":"soon"}]}`},
		{&chat.Clarification{ID: "clr_1", Question: tools.Question{Kind: tools.KindInput}}, []string{`{"place":"Oslo"}`}, `{"result":{"place":"Oslo"}}`},
		{approval, []string{`{"approved":false,"reason":"too late"}`, `{"approved":false,"note":"too late"}`}, `{"value":"no","note":"too late"}`},
		// Changes that a person makes or takes back along with a yes count, in every form of the
		// answer.
		{approval, []string{
			`{"approved":true,"arguments":{"a":1}}`, `{"answers":{"sure":"yes"},"arguments":{"a":1}}`, `{"answers":["yes"],"arguments":{"a":1}}`,
			`{"action":"accept","content":{"sure":true},"arguments":{"a":1}}`, `{"value":"yes","arguments":{"a":1}}`,
		}, `{"value":"yes","arguments":{"a":1}}`},
		{approval, []string{`{"approved":true,"declined":true}`, `{"action":"accept","content":{"sure":true},"declined":true}`}, `{"declined":true}`},
	} {
		for _, sent := range test.sent {
			a, err := front.ReadAnswer([]byte(sent), test.of, words)
			if err != nil {
				t.Errorf("%s: %v", sent, err)
				continue
			}
			if got, _ := json.Marshal(a.Answer); string(got) != test.want || a.ClarificationID != "clr_1" {
				t.Errorf("%s is read as %s, want %s", sent, got, test.want)
			}
		}
	}
}

// An invalid answer is refused, and no part of it counts.
func TestWhatIsNoAnswerIsRefused(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for _, sent := range []string{
		``, `{`, `{"answers":{"town":"par"}}`, `{"answers":{"city":"par","Which city?":"ber"}}`, `{"answers":{"city":"par","city":"ber"}}`, `{"answers":7}`,
		`{"answers":["par","ber"]}`, `{"action":"maybe"}`, `{"action":"accept"}`, `{"action":"accept","content":null}`, `{"answers":{"city":{"value":1,"values":2}}}`, deep, "\"\xff\"",
	} {
		_, err := front.ReadAnswer([]byte(sent), question(city), words)
		var fault *tools.AnswerError
		var refused *chat.Error
		if !errors.As(err, &fault) && !errors.As(err, &refused) {
			t.Errorf("%s: %v", sent, err)
		}
	}
}

// An answer that does not clearly allow a call does not allow it: the reader or the check refuses
// it.
func TestOnlyAClearYesAllowsACall(t *testing.T) {
	of := &chat.Clarification{ID: "clr_1", Question: tools.Question{Kind: tools.KindApproval, Parts: []tools.Part{sure}}}
	for sent, want := range map[string]string{
		`{"approved":true,"reason":"fine"}`: `{"value":"yes","note":"fine"}`, `{"approved":true,"arguments":{"to":"Ada"}}`: `{"value":"yes","arguments":{"to":"Ada"}}`,
		`{"approved":true,"declined":true}`: `{"declined":true}`, `{"approved":false,"value":"yes"}`: `{"value":"no"}`,
		`{"approved":"yes"}`: "", `{"approved":1}`: "", `{"approved":false,"Approved":true}`: "", `{"approved":false,"action":"accept","content":{"sure":true}}`: "",
	} {
		a, err := front.ReadAnswer([]byte(sent), of, words)
		got, _ := json.Marshal(a.Answer)
		if want == "" && err == nil || want != "" && (err != nil || string(got) != want) {
			t.Errorf("%s is read as %s (%v), want %s", sent, got, err, want)
		}
	}
}

// A text at the top level is read by the rules of plain messages; one inside a form is not.
func TestOnlyABareTextIsTyped(t *testing.T) {
	typed := func(string) (turn.Answer, bool) { return turn.Answer{Answer: tools.Answer{Skipped: true}}, true }
	if a, err := front.ReadAnswer([]byte(`"none"`), question(name), typed); err != nil || !a.Skipped {
		t.Errorf("a bare text: %+v %v", a, err)
	}
	if a, err := front.ReadAnswer([]byte(`{"answers":{"name":"none"}}`), question(name), typed); err != nil || a.Skipped {
		t.Errorf("a text in a form: %+v %v", a, err)
	}
}

// A generated answer, written in a form that the generator picks, is read back unchanged.
func TestGeneratedAnswersAreReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	for range 2000 {
		parts := []tools.Part{city, days, age, sure, name}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		parts = parts[:1+r.IntN(len(parts))]
		want := make([]tools.Answer, len(parts))
		sent := map[string]any{}
		for i, p := range parts {
			key := []string{p.ID, p.Question}[r.IntN(2)]
			switch {
			case r.IntN(5) == 0:
				want[i], sent[key] = tools.Answer{Skipped: true}, nil
			case p.InputType == tools.Multiselect:
				want[i] = tools.Answer{Values: []string{"tu"}}
				sent[key] = [...]any{[]string{"tu"}, []string{"Tuesday"}, "Tuesday", map[string]any{"values": []string{"tu"}}}[r.IntN(4)]
			case p.InputType == tools.Select:
				want[i] = tools.Answer{Value: json.RawMessage(`"ber"`)}
				sent[key] = [...]any{"ber", "Berlin, Germany", map[string]any{"value": "ber"}}[r.IntN(3)]
			case p.InputType == tools.Confirm:
				want[i] = tools.Answer{Value: json.RawMessage(`"no"`)}
				sent[key] = [...]any{false, "no", "No"}[r.IntN(3)]
			case p.InputType == tools.Number:
				want[i] = tools.Answer{Value: json.RawMessage(`-1.5`)}
				sent[key] = [...]any{-1.5, "-1.5"}[r.IntN(2)]
			default:
				want[i] = tools.Answer{Value: json.RawMessage(`"Ünï [1]"`)}
				sent[key] = "Ünï [1]"
			}
		}
		var body any = map[string]any{"answers": sent}
		switch r.IntN(3) {
		case 0:
			body = map[string]any{"action": "accept", "content": sent}
		case 1:
			text, _ := json.Marshal(body)
			body = string(text)
		}
		data, _ := json.Marshal(body)
		whole := tools.Answer{Answers: want}
		if len(want) == 1 {
			whole = want[0]
		}
		a, err := front.ReadAnswer(data, question(parts...), words)
		got, _ := json.Marshal(a.Answer)
		if expected, _ := json.Marshal(whole); err != nil || !slices.Equal(got, expected) {
			t.Fatalf("%s is read as %s (%v), want %s", data, got, err, expected)
		}
	}
}

func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{`"par"`, `{"answers":{"city":null}}`, `{"action":"cancel"}`, `[1,{"value":2}]`, `"{\"answers\":[]}"`, `{"answers":{"":{}}}`, `["a few","soon","2026-12-31 09:00","TRUE"]`, `"only on Mondays"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, of := range []*chat.Clarification{question(city), question(name, age, days), question(count, onDay, moment, agreed), question(agreed), {Question: tools.Question{Kind: tools.KindInput}}} {
			a, err := front.ReadAnswer(data, of, words)
			if err != nil {
				continue
			}
			if _, err := json.Marshal(a); err != nil {
				t.Errorf("%q is read as a value that cannot be stored: %v", data, err)
			}
		}
	})
}

// A yes to an approval that may be remembered applies to its call alone, unless the answer says
// otherwise: the question that a client shows does not say how far a yes reaches.
func TestAYesIsForOnceUnlessItSaysOtherwise(t *testing.T) {
	of := &chat.Clarification{ID: "clr_1", Question: tools.Question{Kind: tools.KindApproval, Remember: "chat", Parts: []tools.Part{sure}}}
	for data, once := range map[string]bool{
		`true`:                       true,
		`{"approved":true}`:          true,
		`{"value":true}`:             true,
		`{"value":true,"once":true}`: true,
		`{"answers":{"sure":true}}`:  true,
		`{"action":"accept","content":{"sure":true}}`: true,
		`{"value":true,"once":false}`:                 false,
		`{"approved":true,"once":false}`:              false,
		`"{\"value\":true,\"once\":false}"`:           false,
		`{"answers":{"sure":true},"once":false}`:      false,
		`{"value":true,"once":null}`:                  true,
	} {
		a, err := front.ReadAnswer([]byte(data), of, nil)
		if err != nil || a.Once != once {
			t.Errorf("%s: %v, %v", data, a.Once, err)
		}
	}
}
