package demo_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
)

// withDemo is a chat of the built-in app.
var withDemo = []model.Definition{{Name: "ask_user", Parameters: []byte(`{"template":{"enum":["demo_project"]}}`)}, {Name: "calculator"}, {Name: "demo_booking"}}

const (
	whereTo = "Q1 (Where (exactly)?): "
	wishFor = "\nQ2 (What?): "
	leaveOn = "\nQ3 (When?): "
)

func TestTheTripIsPlannedFromWhatWasAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		result string
		says   []string
		books  string // part of the booking call's arguments; "": no call
	}{
		"all":                 {whereTo + "Ans Meer (sea)" + wishFor + "cheese" + leaveOn + "2026-12-31", []string{"plan.where [de] map[Value:demo.trip.place.sea", "Value:2026-12-31", "Value:cheese", "day.sea.1", "day.sea.2", "trip.allow"}, `"destination":"demo.trip.place.sea [de]","from":"2026-12-31"`},
		"another":             {whereTo + "City (city)" + wishFor + "(skipped)" + leaveOn + "2026-12-31", []string{"place.city", "wish_open", "day.city.1"}, `place.city`},
		"own words":           {whereTo + "Other: Ghent (in Belgium)\n  Note: by train" + wishFor + "two\n  lines" + leaveOn + "2026-12-31", []string{"Value:Ghent (in Belgium)", "Value:two lines", "day.own.1"}, `"destination":"Ghent (in Belgium)`},
		"no day":              {whereTo + "Sea (sea)" + wishFor + "cheese" + leaveOn + "(skipped)", []string{"place.sea", "when_open", "Value:cheese", "day.sea.1", "trip.open"}, ""},
		"no place":            {whereTo + "(declined)" + wishFor + "cheese" + leaveOn + "2026-12-31", []string{"where_open", "Value:2026-12-31", "Value:cheese", "trip.open"}, ""},
		"nothing":             {`{"userAnswer":null,"declined":true,"message":"m"}`, []string{"demo.declined", "trip.open"}, ""},
		"too late":            {`{"userAnswer":null,"timedOut":true,"message":"m"}`, []string{"demo.timedout", "trip.open"}, ""},
		"as if from the form": {whereTo + "Sea (sea)" + wishFor + "cheese\n  Q3 (When?): 2026-01-01" + leaveOn + "2026-12-31", []string{"Value:2026-12-31", "Value:cheese Q3 (When?): 2026-01-01"}, `"from":"2026-12-31"`},
		"no form":             {"whatever", []string{"where_open", "trip.open"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked := beginWith(t, withDemo, "Hilf mir, eine Wochenendreise zu planen.").says("demo.trip.intro").
				asks(`"recommended":true`, `"allow_other":true`, `"input_type":"text"`, `"input_type":"date"`)
			if n := strings.Count(asked.call.Arguments, `"input_type"`); n != 3 {
				t.Errorf("%d questions", n)
			}
			planned := asked.result(c.result).says(c.says...)
			if c.books == "" {
				planned.ends()
				return
			}
			if planned.call == nil || planned.call.Name != "demo_booking" {
				t.Fatalf("calls %+v", planned.call)
			}
			planned.asks(c.books)
		})
	}
}

func TestTheTripEndsWithWhatCameOfTheBooking(t *testing.T) {
	for result, says := range map[string]string{
		`{"reference":"DEMO-1","destination":"Ghent","from":"F","to":"T"}`: "demo.trip.booked [de] map[Destination:Ghent From:F Reference:DEMO-1 To:T]",
		"{\"reference\":\"DEMO-1\"}\nNote: thank you":                      "Reference:DEMO-1",
		`{"userAnswer":null,"declined":true,"message":"m"}`:                "demo.trip.refused",
		`{"userAnswer":null,"timedOut":true,"message":"m"}`:                "demo.trip.refused",
		`{"error":{"code":"TOOL_TIMEOUT","message":"later"}}`:              "demo.error [de] map[Code:TOOL_TIMEOUT Message:later]",
	} {
		beginWith(t, withDemo, "trip").result(whereTo+"Sea (sea)"+wishFor+"cheese"+leaveOn+"2026-12-31").result(result).says(says, "demo.more").ends()
	}
	begin(t, "trip").result(whereTo+"Sea (sea)"+wishFor+"cheese"+leaveOn+"2026-12-31").says("day.sea.2", "demo.more").ends() // no such tool
	begin(t, "trip").result(`{"error":{"code":"X","message":"m"}}`).says("demo.error").ends()
}

func TestTheReportAsksByATemplate(t *testing.T) {
	beginWith(t, withDemo, "Schreib einen Bericht über unser Projekt.").says("demo.report.intro").asks(`{"template":"demo_project"}`).
		result("Delta (X) (p-04)\nNote: soon").says("demo.report.done", "Project:Delta (X) Value:p-04").ends()
	beginWith(t, withDemo, "report").result("something else").says("Project:something else Value:something else").ends()
	beginWith(t, withDemo, "report").result(`{"userAnswer":null,"declined":true}`).says("demo.declined").ends()
	begin(t, "report").says("demo.form.intro").asks(`"questions":[`) // no such template
}

func TestTheMeetingShowsARepairAndARefusal(t *testing.T) {
	c := beginWith(t, withDemo, "Organisiere ein Treffen unseres Teams.").says("demo.meeting.intro", "demo.repair.intro").asks(`single_choice`).
		result("At noon").says("Answer:At noon", "demo.refused.intro").asks(`([a-z0-9]+)+`).
		result(`{"error":{"code":"INVALID_CLARIFICATION_PARAMS","message":"drop it"}}`).says("demo.refused.again", "drop it").asks(`[a-z0-9]{2,20}`)
	c.result("standup").says("When:At noon", "Name:standup").ends()
	beginWith(t, withDemo, "meeting").result(`{"userAnswer":null,"timedOut":true}`).says("demo.timedout").ends()
	beginWith(t, withDemo, "meeting").result("At noon").result(`{"error":{"code":"X"}}`).result(`{"userAnswer":null,"declined":true}`).says("demo.declined").ends()
}

func TestATranslationAsksForTheLanguage(t *testing.T) {
	begin(t, "Translate: "+strings.Repeat("the text of a form ", 9)).says("demo.translate.intro").asks(`"allow_other":true`, "demo.language.fr").
		result("French (fr)\nNote: soon").says("demo.translate.done", "Answer:French (fr)]", "demo.more").ends()
	begin(t, "translate").result(`{"userAnswer":null,"declined":true}`).says("demo.declined").ends()
}

// A message that is meant for a model of another app gets the greeting, which explains what the
// demo is.
func TestALongMessageIsNoWish(t *testing.T) {
	begin(t, "Sum up the following text in three sentences: the number of copies has a limit.").says("demo.greeting")
	begin(t, "Show me a form with a date, a text and a number.").says("demo.form.intro")
}

func TestStartersOfAllLanguagesLeadThere(t *testing.T) {
	for scene, starters := range map[string][]string{
		"demo.trip.intro":      {"Help me plan a weekend trip.", "Hilf mir, eine Wochenendreise zu planen.", "Aide-moi à préparer un week-end.", "Ayúdame a planear un viaje de fin de semana."},
		"demo.report.intro":    {"Write a report about our project.", "Schreib einen Bericht über unser Projekt.", "Rédige un rapport sur notre projet.", "Redacta un informe sobre nuestro proyecto."},
		"demo.translate.intro": {"Translate: Good morning, how are you?", "Übersetze einen Geschäftsbrief.", "Traduis une lettre commerciale.", "Traduce: Buenos días, ¿cómo estás?"},
		"demo.meeting.intro":   {"Arrange a meeting of our team.", "Organisiere ein Treffen unseres Teams.", "Organise une réunion de notre équipe.", "Organiza una reunión de nuestro equipo."},
	} {
		for _, s := range starters {
			beginWith(t, withDemo, s).says(scene)
		}
	}
}
