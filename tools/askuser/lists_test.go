package askuser_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/askuser"
)

// Two lists that mean the same are joined, with the details of both. Two that differ are refused,
// by the names that the model used.
func TestSeveralListsOfOptions(t *testing.T) {
	for lists, want := range map[string]string{
		`"options":["A","B"],"choices":["A","B"]`:                                  "A | B",
		`"options":["A","B"],"choices":"A, B","enum":"['A', 'B']"`:                 "A | B",
		`"options":[{"label":"French","value":"fr"}],"enum":["fr"]`:                "French (fr)",
		`"enum":["fr"],"options":[{"label":"French","value":"fr"}]`:                "French (fr)",
		`"options":["French"],"choices":[{"label":"French","value":"fr"}]`:         "French (fr)",
		`"options":[],"choices":["A"]`:                                             "A",
		`"options":null,"follow_up":["A"]`:                                         "A",
		`"options":["A"],"validation":{"enum":["A"]}`:                              "A",
		`"options":["A","B"],"enumNames":["A","B"]`:                                "A | B",
		`"options":[{"label":"A","value":"a"}],"enumNames":["A"]`:                  "A (a)",
		`"enum":[1,2],"enum_names":"['One', 'Two']"`:                               "One (1) | Two (2)",
		`"enumNames":["A","B"]`:                                                    "A | B",
		`"enum":["a"],"enumNames":["A"],"options":[{"value":"a","label":"A"}]`:     "A (a)",
		`"schema":{"enum":["a"],"enumNames":["A"]}`:                                "A (a)",
		`"options":["A","B"],"choices":["B","A"]`:                                  "`choices` and `options` list different options",
		`"options":["A"],"choices":["A","B"]`:                                      "`choices` and `options` list different options",
		`"choices":["A"],"followUp":["B"]`:                                         "`followUp` and `choices` list different options",
		`"options":["A"],"schema":{"enum":["B"]}`:                                  "`schema.enum` and `options` list different options",
		`"options":[{"label":"A","value":"1"}],"enum":[{"label":"A","value":"2"}]`: "`enum` and `options` list different options",
		`"enum":["a","b"],"enumNames":["A"]`:                                       "`enumNames` has 1 labels, and `enum` has 2 values",
		`"schema":{"enum":["a","b"],"enumNames":["A"]}`:                            "`schema.enumNames` has 1 labels, and `schema.enum` has 2 values",
		`"options":[{"label":"A","value":"a"}],"enumNames":["B"]`:                  "`enumNames` and `options` list different options",
	} {
		for _, program := range []bool{false, true} {
			seen, reason, message := person(t, program, `{"question":"Q","input_type":"select",`+lists+`}`)
			if strings.HasPrefix(want, "`") && (reason != askuser.ReasonOptionLists || !strings.Contains(message, want)) ||
				!strings.HasPrefix(want, "`") && strings.TrimSuffix(seen, "*") != "Q select: "+want {
				t.Errorf("%s: %s%s %s, want %s", lists, seen, reason, message, want)
			}
		}
	}
	if e := refusal(t, newTool(), `{"questions":["A",{"question":"B","choices":["a"],"enum":["b"]}]}`); !strings.Contains(e.Message, "`questions[1].enum` and `questions[1].choices`") ||
		e.Fields[0].Field != "enum" || e.Fields[0].Question != 1 {
		t.Errorf("%s %+v", e.Message, e.Fields)
	}
	if e := refusal(t, newTool(), `{"question":"B","schema":{"enum":[{"title":""}]}}`); e.Fields[0].Field != "schema.enum[0].title" {
		t.Errorf("%+v", e.Fields)
	}
}

// Options next to the list of questions belong to the only question, or are refused.
func TestOptionsNextToTheQuestions(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"questions":["Q"],"suggestions":["A","B"]}`:                          "Q select: A | B",
		`{"questions":[{"question":"Q","options":["A"]}],"follow_up":["A"]}`:   "Q select: A",
		`{"questions":[{"question":"Q","options":["A"]}],"follow_up":["B"]}`:   "`follow_up` and `questions[0].options` list different options",
		`{"questions":["Q","R"],"options":["A"]}`:                              "`options` is next to `questions`, not in one of them",
		`{"questions":[],"question":"Q","follow_up":["A"]}`:                    "Q select: A",
		`{"questions":["R"],"question":"Q","options":["A"]}`:                   "Q select: A",
		`{"questions":[{"question":"Q","type":"date"}],"follow_up":["a","b"]}`: "Q select, or own words: a | b",
		`{"questions":["Q"],"options":"['a'"}`:                                 "`options` cannot be read",
		`{"questions":["Q"],"options":[]}`:                                     "Q text: ",
	} {
		seen, _, message := person(t, false, arguments)
		if seen != want && (message == "" || !strings.Contains(message, want)) {
			t.Errorf("%s: %s%s, want %s", arguments, seen, message, want)
		}
	}
}

// Options that cannot be read are refused for any type, since it is unknown what would be lost.
func TestOptionsThatCannotBeRead(t *testing.T) {
	for options, reason := range map[string]string{
		`[null,null]`:                              askuser.ReasonBadLabel,
		`[["A","B"],["C"]]`:                        askuser.ReasonBadLabel,
		`["A",{}]`:                                 askuser.ReasonBadLabel,
		`{"a":null}`:                               askuser.ReasonBadLabel,
		`{"items":["A","B"]}`:                      askuser.ReasonBadLabel,
		`{"title":"Title","author":"Author"}`:      askuser.ReasonNoOptions, // one option, or two
		`[{"label":"A","title":"B"}]`:              askuser.ReasonBadLabel,
		`[{"name":"a","title":"B","value":"c"}]`:   askuser.ReasonBadLabel,
		`{"title":"Title","name":"Name"}`:          askuser.ReasonNoOptions,
		`"A or B"`:                                 askuser.ReasonNoOptions,
		`"['red', 'green"`:                         askuser.ReasonNoOptions, // cut off
		`"['red', 'green'"`:                        askuser.ReasonNoOptions,
		`"[\"red\", \"gre"`:                        askuser.ReasonNoOptions,
		`"[red, green]"`:                           askuser.ReasonNoOptions,
		`"{'red', 'green'}"`:                       askuser.ReasonNoOptions,
		`"('red')"`:                                askuser.ReasonNoOptions,
		`"['red'] + ['green']"`:                    askuser.ReasonNoOptions,
		`"<option>A</option>, <option>B</option>"`: askuser.ReasonNoOptions,
		`"'red', green"`:                           askuser.ReasonNoOptions,
		`"` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `"`: askuser.ReasonNoOptions, // too deep
		`7`:    askuser.ReasonNoOptions,
		`true`: askuser.ReasonNoOptions,
	} {
		for _, kind := range []string{"", `"input_type":"select",`, `"input_type":"text",`, `"input_type":"confirm",`} {
			if seen, got, message := person(t, false, `{"question":"Q",`+kind+`"options":`+options+`}`); got != reason || reason == askuser.ReasonNoOptions && !strings.Contains(message, "JSON array") {
				t.Errorf("%s%s: %s%s %s", kind, options, seen, got, message)
			}
		}
	}
	for options, want := range map[string]string{
		`{"label":"A","value":"a"}`:                                       "A (a)",
		`{"label":"A","mode":null}`:                                       "A",
		`[{"name":"fr","title":"French"},{"label":"German","name":"de"}]`: "French (fr) | German (de)",
		`[{"label":"A","text":"A","value":"a"}]`:                          "A (a)",
		`{"text":"A","n":1}`:                                              "A",
		`"'red', \"green\""`:                                              "red | green",
		`"(a) red, (b) green"`:                                            "(a) red | (b) green",
		`"{'fr': 'French', 'de': 'German'}"`:                              "French (fr) | German (de)",
		`"[{'label': 'A', 'value': 1}, 'B']"`:                             "A (1) | B",
		`["{'label': 'A', 'value': 'a'}", "B"]`:                           "A (a) | B",
		`["['A']", "(1, 2)"]`:                                             "['A'] | (1, 2)", // labels may look like lists
		`["A, B", "C"]`:                                                   "A, B | C",
	} {
		if seen, _, message := person(t, false, `{"question":"Q","options":`+options+`}`); seen != "Q select: "+want {
			t.Errorf("%s: %s%s", options, seen, message)
		}
	}
}

// Python lists are read as in Python, or not at all.
func TestPythonLists(t *testing.T) {
	for list, want := range map[string]string{
		`['red', 'green']`:                    "red | green",
		`["red", 'it\'s', '"x"']`:             `red | it's | "x"`,
		`['a\\b', 'tab\there']`:               "a\\b | tab\there",
		`['\xe9t\u00e9', '\U0001F600']`:       "été | 😀",
		`['\ud83d\ude00', 'b']`:               "😀 | b",
		`[ 'a' , 'b' , ]`:                     "a | b",
		"['a',\n 'b']":                        "a | b",
		`('a',)`:                              "a",
		`['a', 2, 3.50, True, False]`:         "a | 2 | 3.50 | true | false",
		`['Größe', '大']`:                      "Größe | 大",
		`['a, b', 'c']`:                       "a, b | c",
		`['a', None]`:                         "-",
		`['a' 'b']`:                           "-",
		`['\N{BULLET}', 'b']`:                 "-",
		`['\d', 'b']`:                         "-",
		`['\ud83d', 'b']`:                     "-",
		`['\x00', 'b']`:                       "-",
		`[u'a', 'b']`:                         "-",
		"['a\nb', 'c']":                       "-",
		`['''a''', 'b']`:                      "-",
		`['a', b]`:                            "-",
		`['a', 01]`:                           "-",
		`['a', 1e999]`:                        "-",
		`['a', nan]`:                          "-",
		`['a'], ['b']`:                        "-",
		`['a', {'label': 'b', 'label': 'c'}]`: "-",
		`[x for x in 'ab']`:                   "-",
		strings.Repeat("[", 100) + "'a'" + strings.Repeat("]", 100): "-",
		strings.Repeat("(", 100<<10):                                "-",
	} {
		seen, _, message := person(t, false, `{"question":"Q","options":`+quoteJSON(list)+`}`)
		if (want == "-") != (message != "") || message == "" && seen != "Q select: "+want {
			t.Errorf("%s: %s%s, want %s", shorten(list), seen, message, want)
		}
	}
}
