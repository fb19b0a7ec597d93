package grounding_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/tools/grounding"
)

func at(day string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", day+" 12:00")
	if err != nil {
		panic(err)
	}
	return t
}

func find(said, arguments, schema string) []string {
	now := at("2026-03-10") // a Tuesday
	return grounding.Read([]grounding.Text{{Content: said, At: now}}).Find(arguments, json.RawMessage(schema), now)
}

func TestAValueIsSaidInAnyOfItsForms(t *testing.T) {
	for _, c := range []struct{ said, value string }{
		{"to Hamburg please", `"Hamburg"`},
		{"nach münchen", `"München"`},
		{"1.234,56 Euro", `1234.56`},
		{"1,234.56", `1234.56`},
		{"1 234,56", `1234.56`},
		{"two of us", `2`},
		{"a dozen", `12`},
		{"einundzwanzig Leute", `21`},
		{"quatre-vingt-dix-sept", `97`},
		{"treinta y uno", `31`},
		{"zweitausenddreihundert", `2300`},
		{"2k", `2000`},
		{"50 %", `0.5`},
		{"next Friday", `"2026-03-20"`},
		{"next Friday", `"2026-03-13"`},
		{"tomorrow", `"2026-03-11"`},
		{"the 3rd", `"2026-04-03"`},
		{"am 03.04.2026", `"2026-04-03"`},
		{"4/3/26", `"2026-04-03"`},
		{"le 3 avril", `"2026-04-03"`},
		{"in two weeks", `"2026-03-24"`},
		{"3 to 7 April", `"2026-04-07"`},
		{"3 to 7 April", `"2026-04-03"`},
		{"half past three", `"15:30"`},
		{"um halb vier", `"15:30"`},
		{"a las cuatro menos cuarto", `"15:45"`},
		{"15h30", `"15:30"`},
		{"3pm", `"15:00"`},
		{"noon", `"12:00"`},
		{"5 kilometers", `5000`},
		{"an hour and a half", `90`},
		{"0170 123 45 67", `"+49 170 1234567"`},
		{"ref AB-1234/56", `"AB123456"`},
		{"anna at example dot com", `"anna@example.com"`},
		{"see example.com", `"https://www.example.com/"`},
		{"see example.com", `"mailto:example.com"`},
		{"in Berlin, please", `"Europe/Berlin"`},
		{"to Paris", `"Paris, France"`},
		{"from Wien", `"VIE"`},
		{"paid in €", `"EUR"`},
		{"in the US", `"United States"`},
		{"to Hambrug", `"Hamburg"`},
		{"the New York Symphony", `"Symphony (New York)"`},
		{"I saw it in the Louvre", `"the Louvre"`},
		{"two adults and a child", `3`},
		{"it's just me", `"no"`},
		{"on Thursday next week", `"2026-03-19"`},
		{"Donnerstag nächster Woche", `"2026-03-19"`},
		{"jeudi de la semaine prochaine", `"2026-03-19"`},
		{"el jueves de la próxima semana", `"2026-03-19"`},
		{"the 17th of next month", `"2026-04-17"`},
		{"in March, perhaps the 17th", `"2026-03-17"`},
		{"for three nights from tomorrow", `"2026-03-14"`},
		{"at Christmas", `"2026-12-25"`},
		{"dans quinze jours", `"2026-03-25"`},
		{"hace dos semanas", `"2026-02-24"`},
		{"3 April at 3pm", `"2026-04-03T15:00:00"`},
		{"3 April at 3pm", `"2026-04-03T13:00:00Z"`},
		{"3 April at 3pm", `1775228400`},
		{"afternoon 3", `"15:00"`},
		{"trois heures et demie de l'après-midi", `"15:30"`},
		{"90 minutes", `"PT1H30M"`},
		{"1h30", `90`},
		{"half an hour", `30`},
		{"zwölfhundert", `"zwölfhundert"`},
		{"deux mille cinq cents", `2500`},
		{"dos mil quinientos", `2500`},
		{"minus 5 degrees", `-5`},
		{"die dritte", `3`},
		{"$12.50", `1250`},
		{"2-3pm", `"14:00"`},
		{"de 14 à 15 heures", `"14:00"`},
		{"a la una menos cuarto", `"12:45"`},
		{"une heure moins le quart", `"12:45"`},
		{"midi et demi", `"12:30"`},
		{"in 20 minutes", `"2026-03-10T12:20:00Z"`},
		{"in 20 minutes", `"13:20"`},
		{"the last seven days", `"2026-03-03"`},
		{"3 days ago", `"2026-03-07"`},
		{"two weeks later", `"2026-03-24"`},
		{"les 7 derniers jours", `"2026-03-03"`},
		{"in den nächsten zwei Wochen", `"2026-03-24"`},
		{"of the past month", `"2026-02-10"`},
		{"end of the month", `"2026-03-31"`},
		{"Freitagabend", `"2026-03-13"`},
		{"Lindenstr. 14", `"Lindenstraße 14"`},
		{"12 Main Street", `"12 Main St."`},
		{"two and a half thousand", `2500`},
		{"dreihundertzwölf Euro fünfzig", `312.5`},
		{"12 euros 50", `12.5`},
		{"einundzwanzigeinhalb Grad", `21.5`},
		{"une vingtaine de personnes", `20`},
		{"a dozen and a half", `18`},
		{"una docena y media", `18`},
		{"ne Stunde", `60`},
		{"2 tickets at 48 each", `96`},
		{"3 Karten zu je 20 Euro", `60`},
		{"two chairs and four, at 10 per person", `20`},
		{"fifteen hundred minus the two hundred", `1300`},
		{"90 plus 15", `105`},
		{"last time we were 3, now it is two more", `5`},
		{"beim letzten Mal 4 Kilo, jetzt doppelt so viel", `8`},
		{"la otra vez fueron 5, ahora tres menos", `2`},
		{"at 19:30, half an hour later than usual", `"20:00"`},
		{"à 15 h, une heure plus tôt", `"14:00"`},
		{"sube tres grados, está a 18", `21`},
		{"am zweiten Dezemberfreitag", `"2026-12-11"`},
		{"the last Thursday of the month", `"2026-03-26"`},
		{"le premier samedi d'avril", `"2026-04-04"`},
		{"a week on Friday", `"2026-03-20"`},
		{"Friday week", `"2026-03-20"`},
		{"dimanche en huit", `"2026-03-22"`},
		{"nächste Woche Mittwoch", `"2026-03-18"`},
		{"mercredi, et retour le lendemain", `"2026-03-12"`},
		{"from Heathrow", `"LHR"`},
		{"on Saturday, and back on the Tuesday after it", `"2026-03-17"`},
		{"leaving on Saturday 14 March, back on the Thursday", `"2026-03-19"`},
		{"über Ostern, ab Mittwoch", `"2026-04-01"`},
		{"du lundi 20 avril au vendredi 24", `"2026-03-24"`},
		{"two coffees at 3.80", `7.6`},
		{"das zahl ich bar", `"cash"`},
		{"desde Barajas", `"MAD"`},
		{"ab Hamburg", `"Hamburg Hbf"`},
		{"im Goldenen Hirsch", `"Goldener Hirsch"`},
		{"three quarters of an hour", `45`},
		{"un quart d'heure", `15`},
		{"hora y media", `90`},
		{`{"ids":[101,102,103]}`, `102`},
		{`[[17,1250],[18,99]]`, `18`},
		{"a,17,1250,b", `1250`},
		{"48.137,11.575", `11.575`},
		{"10.0.0.1 is down", `"10.0.0.1"`},
		{"at 3pm", `"2026-03-10T15:00"`},
		{"at 9:30", `"2026-03-11T09:30:00Z"`},
		{"nothing", `"+"`},
		{`{"name":"Zo\u00eb\nHart"}`, `"Zoë Hart"`},
		{"東京に行きたい", `"東京"`},
		{"٣ أشخاص", `3`},
	} {
		if got := find(c.said, `{"x":`+c.value+`}`, `{"required":["x"]}`); got != nil {
			t.Errorf("%q: %s is reported as invented", c.said, c.value)
		}
	}
}

func TestAValueThatWasNotSaidIsFound(t *testing.T) {
	for _, c := range []struct{ said, value string }{
		{"to Hamburg please", `"Hannover"`},
		{"1.234,56 Euro", `1234.65`},
		{"two of us", `3`},
		{"tomorrow", `"2026-03-12"`},
		{"the 3rd", `"2026-04-04"`},
		{"half past three", `"16:30"`},
		{"3pm", `"03:00"`},
		{"at 7 pm for two", `7`},
		{"0170 123 45 67", `"+49 170 1234568"`},
		{"ref AB-1234/56", `"AB123457"`},
		{"anna@example.com", `"anna@example.org"`},
		{"Anna", `"Anna Schmidt"`},
		{"es muss sein", `"Spain"`},
		{"to Paris", `"Paris, Texas"`},
		{"on Thursday next week", `"2026-03-20"`},
		{"the 17th of next month", `"2026-03-17"`},
		{"next week", `"2026-03-18"`},
		{"in March", `"2026-03-17"`},
		{"in April 2027", `"2026-04-01"`},
		{"3 April", `"2024-04-03"`},
		{"two and three", `5`},
		{"from Heathrow", `"LGW"`},
		{"more than 3 of the 4", `7`},
		{"4 or more, and 3", `7`},
		{"the second Friday in April", `"2026-04-03"`},
		{"nächste Woche Mittwoch", `"2026-03-11"`},
		{"a double room for 2", `4`},
		{"une chambre double pour 3", `6`},
		{"minus 5 degrees", `-6`},
		{"90 minutes", `"PT2H"`},
		{"in 20 minutes", `"2026-03-10T12:40:00Z"`},
		{"2-3pm", `"16:00"`},
		{"the last seven days", `"2026-03-05"`},
		{"Lindenstr. 14", `"Lindenstraße 41"`},
		{"3 April at 3pm", `"2026-04-03T15:30:00"`},
		{"in the evening", `"19:00"`},
		{"morgens um 8", `"20:00"`},
		{"a red one", `1`},
		{"Modem", `"Modern"`},
		{"Anna is here. " + strings.Repeat("And so on and on. ", 20) + "Schmidt is not.", `"Anna Schmidt"`},
		{"AB12", `"B12"`},
		{"1,250, please", `250`},
		{"10.0.0.1 is down", `"10.0.0.2"`},
		{"version 2.10.0", `"2.11.0"`},
		{"at 3pm", `"2026-03-11T15:00"`},
		{"at 9:30", `"2026-03-12T09:30:00Z"`},
		{"wake me", `"2026-03-10T00:00:00Z"`},
	} {
		if got := find(c.said, `{"x":`+c.value+`}`, `{"required":["x"]}`); !slices.Equal(got, []string{"/x"}) {
			t.Errorf("%q: %s counts as said", c.said, c.value)
		}
	}
}

func TestTheNameOfAPropertySaysWhatANumberIs(t *testing.T) {
	for said, c := range map[string]struct {
		arguments string
		found     bool
	}{
		"at 7:30 pm":                            {`{"hour":7}`, false},
		"at 7:31 pm":                            {`{"guests":7}`, true},
		"a ticket":                              {`{"number_of_tickets":1}`, false},
		"a ticket, please":                      {`{"floor":1}`, true},
		"a table, please":                       {`{"quantity":1}`, false}, // of an unknown thing
		"a room for tonight, please":            {`{"guests":1}`, true},
		"ein Doppelzimmer":                      {`{"zimmer":1}`, false},
		"un billet pour Lyon":                   {`{"passagers":1}`, true},
		"140 a night":                           {`{"nights":1}`, true}, // a rate
		"a night in Lyon":                       {`{"nights":1}`, false},
		"Freitag bis Montag":                    {`{"nights":3}`, false},
		"from Friday till Monday":               {`{"guests":3}`, true},
		"3 to 7 April":                          {`{"nights":4}`, false},
		"my wife and me":                        {`{"guests":2}`, false},
		"me and my wife":                        {`{"nights":2}`, true},
		"my parents, my brother and I":          {`{"party_size":4}`, false},
		"mit Frau Odenthal":                     {`{"personen":2}`, true},
		"my kids and me":                        {`{"guests":2}`, true}, // how many kids?
		"meine Frau, die beiden Kinder und ich": {`{"personen":4}`, false},
		"mit meinem Bruder":                     {`{"personen":2}`, false},
		"wir sind 14 Leute plus Chef":           {`{"anzahl":15}`, false},
		"moi et deux amis":                      {`{"convives":3}`, false},
		"mi mujer, mis padres y yo":             {`{"comensales":4}`, false},
		"they are nine, plus Sam and me":        {`{"attendees":11}`, false},
		"it's just me":                          {`{"guests":1}`, false},
		"send me the invoice":                   {`{"guests":1}`, true},
		"ein paar Nächte":                       {`{"nights":3}`, false},
		"ein paar Nächte in Bonn":               {`{"nights":1}`, true},
		"ein paar Tage und Nächte":              {`{"guests":3}`, true},
		"un par de noches":                      {`{"noches":2}`, false},
		"two hotels a few days apart":           {`{"nights":3}`, true},
		"a car":                                 {`{"floor":1}`, true},
		"from 3 pm on, it takes 1 hour":         {`{"endTime":"16:00"}`, false},
		"from 3 pm, it takes 1 hour":            {`{"time":"16:00"}`, true},
		"15 % of 80":                            {`{"expression":"80 * 0.15"}`, false},
		"15 % of 90":                            {`{"expression":"80 * 0.15"}`, true},
		"what is 6 times 7?":                    {`{"expression":"6*7"}`, false},
	} {
		name, _, _ := strings.Cut(c.arguments[2:], `"`)
		got := find(said, c.arguments, `{"required":["`+name+`"]}`)
		if (got != nil) != c.found {
			t.Errorf("%q: %s: found %q", said, c.arguments, got)
		}
	}
}

// UTC does not determine the day for the user.
func TestADayMayHaveBegunElsewhere(t *testing.T) {
	for clock, want := range map[string]struct{ yesterday, today, after bool }{
		"02:00": {true, true, false}, // still the 9th in America
		"12:00": {false, true, false},
		"23:00": {false, true, true}, // the 11th in Europe
	} {
		now, err := time.Parse("2006-01-02 15:04", "2026-03-10 "+clock)
		if err != nil {
			t.Fatal(err)
		}
		said := grounding.Read([]grounding.Text{{Content: "today, please", At: now}})
		for day, is := range map[string]bool{"2026-03-09": want.yesterday, "2026-03-10": want.today, "2026-03-11": want.after} {
			if got := said.Find(`{"d":"`+day+`"}`, json.RawMessage(`{"required":["d"]}`), now); (got == nil) != is {
				t.Errorf("at %s, today is %s: found %q", clock, day, got)
			}
		}
	}
}

// The base of "two more" may be in a text before or after it, but not far away.
func TestArithmeticGoesAcrossTexts(t *testing.T) {
	now := at("2026-03-10")
	for _, c := range []struct {
		texts []string
		found bool
	}{
		{[]string{"two more than last time", `{"guests":3}`}, false},
		{[]string{`{"guests":3}`, "two more, please"}, false},
		{[]string{`{"guests":3}`, "hm", "let me see", "two more, please"}, false}, // words without numbers do not count
		{[]string{`{"guests":3}`, "it is 9 now", "or 10", "two more, please"}, true},
		{[]string{`{"guests":3}`, "two, please"}, true},
	} {
		var texts []grounding.Text
		for _, content := range c.texts {
			texts = append(texts, grounding.Text{Content: content, At: now})
		}
		if got := grounding.Read(texts).Find(`{"guests":5}`, json.RawMessage(`{"required":["guests"]}`), now); (got != nil) != c.found {
			t.Errorf("%q: found %q", c.texts, got)
		}
	}
}

func TestOptionsAreSaidByValueOrLabel(t *testing.T) {
	for _, c := range []struct {
		said, value, schema string
		found               bool
	}{
		{"the cheap one", `"c1"`, `{"oneOf":[{"const":"c1","title":"Cheap"},{"const":"c2","title":"Dear"}]}`, false},
		{"the cheap one", `"c2"`, `{"oneOf":[{"const":"c1","title":"Cheap"},{"const":"c2","title":"Dear"}]}`, true},
		{"teuer", `2`, `{"enum":[1,2],"x-enumNames":["billig","teuer"]}`, false},
		{"teuer", `1`, `{"enum":[1,2],"x-enumNames":["billig","teuer"]}`, true},
		{"a round trip", `"roundTrip"`, `{"enum":["roundTrip","oneWay"]}`, false},
		{"hin und zurück", `"round_trip"`, `{"enum":["round_trip","one_way"]}`, false},
		{"hin und zurück", `"one_way"`, `{"enum":["round_trip","one_way"]}`, true},
		{"musical shows", `"Music"`, `{"enum":["Music","Sports"]}`, false},
		{"jeden Monat", `"monthly"`, `{"enum":["monthly","weekly"]}`, false},
		{"wichtig!", `"high"`, `{"enum":["low","high"]}`, false},
		{"anything", `"yes"`, `{"enum":["yes","no"]}`, false}, // not judged
		{"anything", `"b"`, `{"anyOf":[{"enum":["a","b"]},{"type":"null"}]}`, true},
	} {
		got := find(c.said, `{"x":`+c.value+`}`, `{"required":["x"],"properties":{"x":`+c.schema+`}}`)
		if (got != nil) != c.found {
			t.Errorf("%q: %s: found %q", c.said, c.value, got)
		}
	}
}

func TestOfComposedTextsFactsAreJudged(t *testing.T) {
	const said = "Tell Anna, anna@example.com, that we meet on Friday at 3pm for 120 euros, and call 0170 1234567"
	for text, found := range map[string]bool{
		"Hi Anna, looking forward to our get-together on 13 March at 15:00!":      false,
		"Hi Anna, looking forward to our get-together on 14 March at 15:00!":      true,
		"Hi Anna, looking forward to our get-together on Friday at 16:00, right?": true,
		"It will be 120.00 EUR, please tell me whether that is all right":         false,
		"It will be 130 EUR, please tell me whether that is all right":            true,
		"Please write to anna@example.com if there is anything to add":            false,
		"Please write to anna@example.org if there is anything to add":            true,
		"Please ring +49 170 1234567 as soon as there is anything to add":         false,
		"Please ring +49 170 1234568 as soon as there is anything to add":         true,
	} {
		if got := find(said, `{"body":"`+text+`"}`, `{"required":["body"]}`); (got != nil) != found {
			t.Errorf("%q: found %q", text, got)
		}
	}
}

func TestOnlyRequiredValuesWithAChoiceAreJudged(t *testing.T) {
	schema := `{"required":["a","b","c","d","e","f/g","list","deep"],"properties":{
		"c":{"const":"fix"},"d":{"default":"std"},"e":{"enum":["one way"]},
		"list":{"items":{"type":"string"}},
		"deep":{"$ref":"#/$defs/deep"}},
		"$defs":{"deep":{"allOf":[{"required":["in"]},{"properties":{"in":{"type":"string"},"out":{"type":"string"}}}]}}}`
	got := find("x", `{"a":true,"b":null,"c":"fix","d":"std","e":"one way","f/g":"unsaid","list":["x","y"],"deep":{"in":"nope","out":"nope"},"free":"nope"}`, schema)
	want := []string{"/deep/in", "/f~1g", "/list/1"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, not %q", got, want)
	}
}
