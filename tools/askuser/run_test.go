package askuser_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// Valid arguments are unchanged, without a repair.
func TestLegalQuestionsArriveUnaltered(t *testing.T) {
	for name, c := range map[string]struct{ arguments, part string }{
		"text": {`{"question":"Which project?","input_type":"text"}`,
			`{"question":"Which project?","input_type":"text","allow_other":false,"allow_skip":false}`},
		"everything": {`{"question":"What format would you like the report in?","header":"Format","input_type":"select",
			"options":[{"label":"PDF","value":"pdf","description":"For print","recommended":true},{"label":"Word Document","value":"docx"}],
			"allow_other":true,"allow_skip":true,"placeholder":"pdf","context":"For the archive"}`,
			`{"question":"What format would you like the report in?","header":"Format","input_type":"select",
			"options":[{"label":"PDF","value":"pdf","description":"For print","recommended":true},{"label":"Word Document","value":"docx"}],
			"allow_other":true,"allow_skip":true,"placeholder":"pdf","context":"For the archive"}`},
		"pattern byte for byte": {`{"question":"Q","input_type":"text","validation":{"pattern":"^[^}{]+$","max":20,"message":"No braces"}}`,
			`{"question":"Q","input_type":"text","allow_other":false,"allow_skip":false,"validation":{"pattern":"^[^}{]+$","flags":"u","max":20,"message":"No braces"}}`},
		"pattern with white space": {`{"question":"Q","input_type":"text","validation":{"pattern":" a\\tb ","max":20}}`,
			`{"question":"Q","input_type":"text","allow_other":false,"allow_skip":false,"validation":{"pattern":" a\\tb ","flags":"u","max":20}}`},
		"markup, templates, emoji": {`{"question":"<b>{{.X}}</b> ${y} & 👩‍👩‍👧 \\n \n z?","input_type":"text"}`,
			`{"question":"<b>{{.X}}</b> ${y} & 👩‍👩‍👧 \\n \n z?","input_type":"text","allow_other":false,"allow_skip":false}`},
		"value is the label": {`{"question":"Q","input_type":"select","options":[{"label":"French"}]}`,
			`{"question":"Q","input_type":"select","options":[{"label":"French","value":"French"}],"allow_other":false,"allow_skip":false}`},
		"confirm in the language": {`{"question":"Q","input_type":"confirm"}`,
			`{"question":"Q","input_type":"confirm","options":[{"label":"Ja","value":"yes"},{"label":"Nein","value":"no"}],"allow_other":false,"allow_skip":false}`},
		"number": {`{"question":"Q","input_type":"number","validation":{"min":-1.5,"max":1e3,"integer":true}}`,
			`{"question":"Q","input_type":"number","allow_other":false,"allow_skip":false,"validation":{"min":-1.5,"max":1000,"integer":true}}`},
		"date": {`{"question":"Q","input_type":"date","validation":{"min":"2024-02-29","max":"2026-12-31"}}`,
			`{"question":"Q","input_type":"date","allow_other":false,"allow_skip":false,"validation":{"min":"2024-02-29","max":"2026-12-31"}}`},
		"multiselect, other counts": {`{"question":"Q","input_type":"multiselect","allow_other":true,"options":[{"label":"A"},{"label":"B","recommended":true},{"label":"C","recommended":true}],"validation":{"min":4,"max":9}}`,
			`{"question":"Q","input_type":"multiselect","allow_other":true,"allow_skip":false,"options":[{"label":"A","value":"A"},{"label":"B","value":"B","recommended":true},{"label":"C","value":"C","recommended":true}],"validation":{"min":4,"max":9}}`},
		"null is not given, unknown keys are nothing": {`{"question":"Q","input_type":"text","options":null,"validation":null,"header":null,"x":{"y":[1,{}]}}`,
			`{"question":"Q","input_type":"text","allow_other":false,"allow_skip":false}`},
		"at every limit": {fmt.Sprintf(`{"question":%q,"header":%q,"input_type":"select","options":[{"label":%q,"value":%q,"description":%q}],"placeholder":%q,"context":%q}`,
			long(500), long(30), long(100), long(100), long(300), long(200), long(500)),
			fmt.Sprintf(`{"question":%q,"header":%q,"input_type":"select","options":[{"label":%q,"value":%q,"description":%q}],"placeholder":%q,"context":%q,"allow_other":false,"allow_skip":false}`,
				long(500), long(30), long(100), long(100), long(300), long(200), long(500))},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := run(t, c.arguments)
			if len(outcome.Repairs) > 0 {
				t.Errorf("repairs %v, want none", outcome.Repairs)
			}
			q := outcome.Question
			if q.Kind != tools.KindQuestion || q.MaxAnswer != 4000 || len(q.Parts) != 1 {
				t.Fatalf("question %+v", q)
			}
			if got, want := toJSON(t, q.Parts[0]), normal(t, `{"id":"q1",`+c.part[1:]); got != want {
				t.Errorf("part\n got %s\nwant %s", got, want)
			}
		})
	}
}

// long returns a text of n code points of four bytes each.
func long(n int) string { return strings.Repeat("😀", n) }

// Arguments with one plausible reading are repaired, and the repair is named.
func TestRepairs(t *testing.T) {
	const yesNo = `"options":[{"label":"Ja","value":"yes"},{"label":"Nein","value":"no"}]`
	const frDe = `"options":[{"label":"French","value":"fr"},{"label":"German","value":"de"}]`
	const ab = `"options":[{"label":"A","value":"A"},{"label":"B","value":"B"}]`
	for name, c := range map[string]struct {
		arguments string
		part      string // without the two booleans if they are false
		repairs   string
	}{
		"arguments in a string":       {quoteJSON(`{"question":"Q","input_type":"text"}`), `"input_type":"text"`, "nested_json"},
		"twice in a string":           {quoteJSON(quoteJSON(`{"question":"Q","input_type":"text"}`)), `"input_type":"text"`, "nested_json"},
		"type":                        {`{"question":"Q","type":"date"}`, `"input_type":"date"`, "key_name"},
		"question_type":               {`{"question":"Q","question_type":"date"}`, `"input_type":"date"`, "key_name"},
		"inputType":                   {`{"question":"Q","inputType":"date"}`, `"input_type":"date"`, "key_name"},
		"input-type":                  {`{"question":"Q","input-type":"date"}`, `"input_type":"date"`, "key_name"},
		"INPUT_TYPE":                  {`{"QUESTION":"Q","INPUT_TYPE":"date"}`, `"input_type":"date"`, "key_name"},
		"exact name wins":             {`{"question":"Q","type":"text","input_type":"date"}`, `"input_type":"date"`, ""},
		"allowOther, allowSkip":       {`{"question":"Q","input_type":"text","allowOther":true,"allow-skip":true}`, `"input_type":"text","allow_other":true,"allow_skip":true`, "key_name"},
		"required false":              {`{"question":"Q","input_type":"text","required":false}`, `"input_type":"text","allow_skip":true`, "key_name"},
		"required true":               {`{"question":"Q","input_type":"text","required":true}`, `"input_type":"text"`, "key_name"},
		"multiSelect":                 {`{"question":"Q","multiSelect":true,"options":["A","B"]}`, `"input_type":"multiselect",` + ab, "key_name option_shape type_missing type_word"},
		"multiSelect false":           {`{"question":"Q","multiSelect":false,"input_type":"select","options":[{"label":"A"},{"label":"B"}]}`, `"input_type":"select",` + ab, "key_name"},
		"case of a type":              {`{"question":"Q","input_type":" Text "}`, `"input_type":"text"`, "type_word"},
		"missing type":                {`{"question":"Q"}`, `"input_type":"text"`, "type_missing"},
		"blank type":                  {`{"question":"Q","input_type":""}`, `"input_type":"text"`, "type_missing"},
		"missing type with options":   {`{"question":"Q","options":[{"label":"A"},{"label":"B"}]}`, `"input_type":"select",` + ab, "type_missing"},
		"option texts":                {`{"question":"Q","input_type":"select","options":["A","B"]}`, `"input_type":"select",` + ab, "option_shape"},
		"option numbers":              {`{"question":"Q","input_type":"select","options":[1,2.50,true]}`, `"input_type":"select","options":[{"label":"1","value":"1"},{"label":"2.50","value":"2.50"},{"label":"true","value":"true"}]`, "option_shape"},
		"options in a string":         {`{"question":"Q","input_type":"select","options":"[\"A\",{\"label\":\"B\"}]"}`, `"input_type":"select",` + ab, "nested_json option_shape"},
		"an option in a string":       {`{"question":"Q","input_type":"select","options":["{\"label\":\"A\"}",{"label":"B"}]}`, `"input_type":"select",` + ab, "nested_json"},
		"labels like JSON":            {`{"question":"Q","input_type":"select","options":["[1]","\"x\""]}`, `"input_type":"select","options":[{"label":"[1]","value":"[1]"},{"label":"\"x\"","value":"\"x\""}]`, "option_shape"},
		"options in one text":         {`{"question":"Q","options":"A, B"}`, `"input_type":"select",` + ab, "option_shape type_missing"},
		"options on lines":            {`{"question":"Q","input_type":"select","options":"- A\n- B\n"}`, `"input_type":"select",` + ab, "option_shape"},
		"options in a text of a text": {`{"question":"Q","input_type":"text","options":"A, B"}`, `"input_type":"select","allow_other":true,` + ab, "option_shape type_options"},
		"options as a map":            {`{"question":"Q","input_type":"select","options":{"fr":"French","de":"German"}}`, `"input_type":"select",` + frDe, "option_shape"},
		"options as a map of objects": {`{"question":"Q","input_type":"select","options":{"fr":{"label":"French"},"de":{"name":"German"}}}`, `"input_type":"select",` + frDe, "key_name option_shape"},
		"one option":                  {`{"question":"Q","input_type":"select","options":{"label":"A"}}`, `"input_type":"select","options":[{"label":"A","value":"A"}]`, "option_shape"},
		"names of options":            {`{"question":"Q","input_type":"select","choices":[{"name":"French","id":"fr"},{"title":"German","key":"de"}]}`, `"input_type":"select",` + frDe, "key_name"},
		"numbers as values":           {`{"question":"Q","input_type":"select","options":[{"label":"One","value":1},{"label":"Yes","value":true}]}`, `"input_type":"select","options":[{"label":"One","value":"1"},{"label":"Yes","value":"true"}]`, "option_value"},
		"blank value":                 {`{"question":"Q","input_type":"select","options":[{"label":"A","value":" "},{"label":"B","value":null}]}`, `"input_type":"select",` + ab, ""},
		"texts for booleans":          {`{"question":"Q","input_type":"text","allow_skip":"true","allow_other":"FALSE"}`, `"input_type":"text","allow_skip":true`, "boolean"},
		"white space":                 {`{"question":" Q\n","header":"\tH ","input_type":"select","options":[{"label":" A","value":"A "},{"label":"B"}]}`, `"header":"H","input_type":"select",` + ab, "white_space"},
		"cosmetic texts are cut":      {fmt.Sprintf(`{"question":"Q","input_type":"text","header":%q,"placeholder":%q,"context":%q,"validation":{"message":%q}}`, long(31), long(201), long(501), long(201)), fmt.Sprintf(`"input_type":"text","header":%q,"placeholder":%q,"context":%q,"validation":{"message":%q}`, long(30), long(200), long(500), long(200)), "cut"},
		"an option's description too": {fmt.Sprintf(`{"question":"Q","input_type":"select","options":[{"label":"A","description":%q},{"label":"B"}]}`, long(301)), fmt.Sprintf(`"input_type":"select","options":[{"label":"A","value":"A","description":%q},{"label":"B","value":"B"}]`, long(300)), "cut"},
		"numbers for cosmetic texts":  {`{"question":"Q","input_type":"text","placeholder":42}`, `"input_type":"text","placeholder":"42"`, "text"},
		"blank cosmetic texts":        {`{"question":"Q","input_type":"text","header":"  ","context":"\u200b"}`, `"input_type":"text"`, ""},
		"integer":                     {`{"question":"Q","input_type":"integer","validation":{"min":1}}`, `"input_type":"number","validation":{"integer":true,"min":1}`, "type_word"},
		"rules outside validation":    {`{"question":"Q","input_type":"number","minimum":1,"max":"5"}`, `"input_type":"number","validation":{"min":1,"max":5}`, "key_name validation_place"},
		"names of rules":              {`{"question":"Q","input_type":"text","validation":{"minLength":2,"max_length":5,"regex":"a+"}}`, `"input_type":"text","validation":{"min":2,"max":5,"pattern":"a+","flags":"u"}`, "key_name"},
		"validation in a string":      {`{"question":"Q","input_type":"number","validation":"{\"min\":1}"}`, `"input_type":"number","validation":{"min":1}`, "nested_json"},
		"max above the answer limit":  {`{"question":"Q","input_type":"text","validation":{"max":99999}}`, `"input_type":"text","validation":{"max":4000}`, "max_lowered"},
		"pattern on a number":         {`{"question":"Q","input_type":"number","validation":{"pattern":"(a+)+","min":1}}`, `"input_type":"number","validation":{"min":1}`, "dropped"},
		"validation of a confirm":     {`{"question":"Q","input_type":"confirm","validation":{"min":1,"message":"m"}}`, `"input_type":"confirm",` + yesNo, "dropped"},
		"options of a confirm":        {`{"question":"Q","input_type":"confirm","options":["A","B"]}`, `"input_type":"select",` + ab, "option_shape type_options"},
		"options of a text":           {`{"question":"Q","input_type":"text","options":[{"label":"A"},{"label":"B"}]}`, `"input_type":"select","allow_other":true,` + ab, "type_options"},
		"questions in a string":       {`{"questions":"[{\"question\":\"Q\",\"input_type\":\"text\"}]"}`, `"input_type":"text"`, "nested_json"},
		"questions as one object":     {`{"questions":{"question":"Q","input_type":"text"}}`, `"input_type":"text"`, "questions_shape"},
		"questions as texts":          {`{"questions":["Q"]}`, `"input_type":"text"`, "questions_shape type_missing"},
		"questions as one text":       {`{"questions":"Q"}`, `"input_type":"text"`, "questions_shape type_missing"},
		"a title with questions":      {`{"question":"About the trip","questions":[{"question":"Q","input_type":"text"}]}`, `"input_type":"text","context":"About the trip"`, "questions_shape"},
		"the same with questions":     {`{"question":"Q","questions":[{"question":"Q","input_type":"text"}]}`, `"input_type":"text"`, "dropped"},
		"no questions with question":  {`{"question":"Q","input_type":"text","questions":[]}`, `"input_type":"text"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := run(t, c.arguments)
			part := `{"id":"q1","question":"Q",` + c.part
			for _, field := range []string{"allow_other", "allow_skip"} {
				if !strings.Contains(part, `"`+field+`"`) {
					part += `,"` + field + `":false`
				}
			}
			if got, want := toJSON(t, outcome.Question.Parts), normal(t, "["+part+"}]"); got != want {
				t.Errorf("parts\n got %s\nwant %s", got, want)
			}
			repairs := slices.Sorted(slices.Values(outcome.Repairs))
			if got := strings.Join(repairs, " "); got != c.repairs {
				t.Errorf("repairs %q, want %q", got, c.repairs)
			}
		})
	}
}

func TestTypeWords(t *testing.T) {
	for want, words := range map[tools.InputType]string{
		tools.Text:        "text free_text freeText free-text string textarea open_ended plain_text plaintext multiline_text multi_line single_line long_text text_box",
		tools.Select:      "select single_choice single_select singleSelect radio dropdown choice",
		tools.Multiselect: "multiselect multi_choice multi_select multiSelect multiple_choice checkbox checkboxes",
		tools.Confirm:     "confirm yes_no yesno boolean bool confirmation",
		tools.Number:      "number integer int float numeric",
		tools.Date:        "date datepicker",
	} {
		for word := range strings.FieldsSeq(words) {
			options := ""
			if want == tools.Select || want == tools.Multiselect {
				options = `,"options":["A","B"]`
			}
			part := run(t, fmt.Sprintf(`{"question":"Q","input_type":%q%s}`, word, options)).Question.Parts[0]
			if part.InputType != want {
				t.Errorf("%s is %s, want %s", word, part.InputType, want)
			}
			if integer := part.Validation != nil && part.Validation.Integer; integer != (word == "integer" || word == "int") {
				t.Errorf("%s: integer is %v", word, integer)
			}
		}
	}
}

// A complete question next to others is asked first.
func TestQuestionNextToQuestions(t *testing.T) {
	parts := run(t, `{"question":"First?","options":["A","B"],"questions":["Second?","Third?"]}`).Question.Parts
	if len(parts) != 3 || parts[0].Question != "First?" || parts[0].InputType != tools.Select || parts[2].Question != "Third?" {
		t.Errorf("parts %+v", parts)
	}
}

// The message has the field, the limit, the size and the fix.
func TestRefusals(t *testing.T) {
	options := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"o%d"`, i)
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	tool := newTool()
	for name, c := range map[string]struct {
		arguments string
		reason    string
		says      []string
	}{
		"one option as a text":             {`{"question":"Q","options":"Sure"}`, askuser.ReasonNoOptions, []string{"`options`", "array"}},
		"options as a number":              {`{"question":"Q","options":7}`, askuser.ReasonNoOptions, []string{"`options`", "array"}},
		"a pattern of no text":             {`{"question":"Q","input_type":"text","validation":{"pattern":"a\\bb"}}`, "pattern_impossible", []string{"validation.pattern"}},
		"a pattern above max":              {`{"question":"Q","input_type":"text","validation":{"pattern":"\\d{10}","max":5}}`, "pattern_impossible", []string{"at least 10", `"max"`}},
		"a pattern below min":              {`{"question":"Q","input_type":"text","validation":{"pattern":"\\d{3}","min":5}}`, "pattern_impossible", []string{"at most 3", `"min"`}},
		"a pattern of blanks":              {`{"question":"Q","input_type":"text","validation":{"pattern":"\\s+"}}`, "pattern_impossible", []string{"blank"}},
		"nothing":                          {``, askuser.ReasonNotObject, []string{"JSON object"}},
		"pieces of several calls":          {tools.UnclearArguments, askuser.ReasonNotObject, []string{"one call at a time"}},
		"no JSON":                          {`{"question":`, askuser.ReasonNotObject, []string{"valid JSON"}},
		"more than one value":              {`{"question":"Q"}{"question":"Q"}`, askuser.ReasonNotObject, []string{"valid JSON"}},
		"a list":                           {`[{"question":"Q"}]`, askuser.ReasonNotObject, []string{"`question`"}},
		"a number":                         {`7`, askuser.ReasonNotObject, nil},
		"null":                             {`null`, askuser.ReasonNotObject, nil},
		"a text":                           {`"Which?"`, askuser.ReasonNotObject, nil},
		"no question":                      {`{"input_type":"text"}`, askuser.ReasonBlankQuestion, []string{"`question`", "500"}},
		"blank question":                   {`{"question":" \n\t"}`, askuser.ReasonBlankQuestion, []string{"`question`"}},
		"invisible question":               {`{"question":"\u200b\u0007\u2060\ufeff\u00ad"}`, askuser.ReasonBlankQuestion, []string{"`question`"}},
		"a question that is a number":      {`{"question":5}`, askuser.ReasonWrongKind, []string{"`question`"}},
		"long question":                    {fmt.Sprintf(`{"question":%q}`, long(501)), askuser.ReasonTooLong, []string{"`question`", "501", "500", "shorten"}},
		"unknown type":                     {`{"question":"Q","input_type":"slider"}`, askuser.ReasonUnknownType, []string{"`input_type`", "slider", "multiselect"}},
		"a type that is a list":            {`{"question":"Q","input_type":["text"]}`, askuser.ReasonWrongKind, []string{"`input_type`"}},
		"select without options":           {`{"question":"Q","input_type":"select"}`, askuser.ReasonNoOptions, []string{"`options`", "20"}},
		"multiselect, empty options":       {`{"question":"Q","input_type":"multiselect","options":[]}`, askuser.ReasonNoOptions, []string{"`options`"}},
		"options that are not a list":      {`{"question":"Q","input_type":"select","options":"A or B"}`, askuser.ReasonNoOptions, []string{"`options`", "array"}},
		"too many options":                 {`{"question":"Q","options":` + options(21) + `}`, askuser.ReasonTooManyOptions, []string{"`options`", "21", "20", "allow_other"}},
		"too many questions":               {`{"questions":` + options(6) + `}`, askuser.ReasonTooManyQuestions, []string{"`questions`", "6", "5"}},
		"a question that is not an object": {`{"questions":["Q",7]}`, askuser.ReasonWrongKind, []string{"`questions[1]`"}},
		"long label, in its place":         {fmt.Sprintf(`{"questions":["Q",{"question":"R","options":["a","b","c",{"label":%q}]}]}`, long(101)), askuser.ReasonTooLong, []string{"`questions[1].options[3].label`", "101", "100", "shorten"}},
		"long value":                       {fmt.Sprintf(`{"question":"Q","options":[{"label":"A","value":%q}]}`, long(101)), askuser.ReasonTooLong, []string{"`options[0].value`", "101", "100"}},
		"blank label":                      {`{"question":"Q","options":["a"," "]}`, askuser.ReasonBadLabel, []string{"`options[1].label`"}},
		"no label":                         {`{"question":"Q","options":[{"value":"a"}]}`, askuser.ReasonBadLabel, []string{"`options[0].label`"}},
		"a label that is a number":         {`{"question":"Q","options":[{"label":5}]}`, askuser.ReasonBadLabel, []string{"`options[0].label`"}},
		"an option that is null":           {`{"question":"Q","options":[null]}`, askuser.ReasonBadLabel, []string{"`options[0]`"}},
		"a value that is an object":        {`{"question":"Q","options":[{"label":"A","value":{}}]}`, askuser.ReasonWrongKind, []string{"`options[0].value`"}},
		"duplicate labels":                 {`{"question":"Q","options":[{"label":"A","value":"1"},{"label":"A ","value":"2"}]}`, askuser.ReasonDuplicateOption, []string{"`options[1].label`", "option 0"}},
		"duplicate values":                 {`{"question":"Q","options":[{"label":"A","value":1},{"label":"B","value":"1"}]}`, askuser.ReasonDuplicateOption, []string{"`options[1].value`"}},
		"labels that look alike":           {`{"question":"Q","options":[{"label":"paypal","value":"1"},{"label":"p\u0430ypal","value":"2"}]}`, askuser.ReasonDuplicateOption, []string{"`options[1].label`", "option 0", `"paypal"`, `"p\u0430ypal"`}},
		"labels with a soft hyphen":        {`{"question":"Q","options":["Lieferung","B","Liefe\u00adrung"]}`, askuser.ReasonDuplicateOption, []string{"`options[2].label`", "option 0", `"Liefe\u00adrung"`}},
		"values that look alike":           {`{"question":"Q","options":[{"label":"A","value":"caf\u00e9"},{"label":"B","value":"cafe\u0301"}]}`, askuser.ReasonDuplicateOption, []string{"`options[1].value`", `"caf\u00e9"`, `"cafe\u0301"`}},
		"a value with an override":         {`{"question":"Q","options":[{"label":"A","value":"report\u202efdp.exe"},"B"]}`, askuser.ReasonEncoding, []string{"`options[0].value`", `\u202e`, `"reportfdp.exe"`}},
		"a value with an escape":           {`{"question":"Q","options":[{"label":"A","value":"a\u001b[2J"},"B"]}`, askuser.ReasonEncoding, []string{"`options[0].value`"}},
		"a label of an override":           {`{"question":"Q","options":["\u202e\u0007","B"]}`, askuser.ReasonBadLabel, []string{"`options[0].label`", "blank"}},
		"a label that is a value":          {`{"question":"Q","options":["B",{"label":"A","value":"B"}]}`, askuser.ReasonDuplicateOption, []string{"`options[1].value`"}},
		"two recommended":                  {`{"question":"Q","options":[{"label":"A","recommended":true},{"label":"B","recommended":true}]}`, askuser.ReasonSeveralRecommended, []string{"`options`", "2", "1"}},
		"a boolean that is none":           {`{"question":"Q","allow_skip":"maybe"}`, askuser.ReasonWrongKind, []string{"`allow_skip`", "true or false"}},
		"a header that is an object":       {`{"question":"Q","header":{}}`, askuser.ReasonWrongKind, []string{"`header`"}},
		"validation that is a list":        {`{"question":"Q","validation":[]}`, askuser.ReasonWrongKind, []string{"`validation`"}},
		"validation that is a text":        {`{"question":"Q","validation":"a+"}`, askuser.ReasonWrongKind, []string{"`validation.pattern`"}},
		"min above max":                    {`{"question":"Q","type":"number","validation":{"min":2000000,"max":1}}`, askuser.ReasonBadRange, []string{"`validation.min` is 2000000", "`validation.max` is 1"}},
		"lengths, min above max":           {`{"question":"Q","validation":{"min":5,"max":4}}`, askuser.ReasonBadRange, []string{"`validation.min` is 5"}},
		"days, min above max":              {`{"question":"Q","type":"date","validation":{"min":"2026-02-02","max":"2026-02-01"}}`, askuser.ReasonBadRange, []string{"2026-02-02", "2026-02-01"}},
		"infinite":                         {`{"question":"Q","type":"number","validation":{"max":1e999}}`, askuser.ReasonBadRange, []string{"`validation.max`", "finite"}},
		"infinite in words":                {`{"question":"Q","type":"number","validation":{"min":"-Infinity"}}`, askuser.ReasonBadRange, []string{"`validation.min`", "finite"}},
		"not a number":                     {`{"question":"Q","type":"number","validation":{"min":"NaN"}}`, askuser.ReasonBadRange, []string{"finite"}},
		"a bound that is a word":           {`{"question":"Q","type":"number","validation":{"min":"low"}}`, askuser.ReasonBadRange, []string{"`validation.min`", "number"}},
		"a bound that is true":             {`{"question":"Q","type":"number","validation":{"min":true}}`, askuser.ReasonBadRange, []string{"`validation.min`"}},
		"no whole number between":          {`{"question":"Q","type":"integer","validation":{"min":1.2,"max":1.8}}`, askuser.ReasonBadRange, []string{"whole"}},
		"half a character":                 {`{"question":"Q","validation":{"min":1.5}}`, askuser.ReasonBadRange, []string{"`validation.min`", "whole"}},
		"negative length":                  {`{"question":"Q","validation":{"min":-1}}`, askuser.ReasonBadRange, []string{"`validation.min`"}},
		"no length at all":                 {`{"question":"Q","validation":{"max":0}}`, askuser.ReasonBadRange, []string{"`validation.max`", "1"}},
		"min above the answer limit":       {`{"question":"Q","validation":{"min":4001}}`, askuser.ReasonBadRange, []string{"4001", "4000"}},
		"min above the choices":            {`{"question":"Q","type":"multiselect","options":["a","b"],"validation":{"min":3}}`, askuser.ReasonBadRange, []string{"3", "2"}},
		"a date that is a number":          {`{"question":"Q","type":"date","validation":{"min":5}}`, askuser.ReasonBadRange, []string{"`validation.min`", "date"}},
		"no day of the calendar":           {`{"question":"Q","type":"date","validation":{"min":"2026-02-30"}}`, askuser.ReasonBadRange, []string{"date"}},
		"long pattern":                     {fmt.Sprintf(`{"question":"Q","validation":{"pattern":%q}}`, long(201)), askuser.ReasonTooLong, []string{"`validation.pattern`", "201", "200"}},
		"no pattern at all":                {`{"question":"Q","validation":{"pattern":"("}}`, "pattern_syntax", []string{"`validation.pattern`"}},
		"unsafe pattern":                   {`{"question":"Q","validation":{"pattern":"(a+)+b"}}`, "pattern_unsafe", []string{"`validation.pattern`"}},
		"a pattern that is a number":       {`{"question":"Q","validation":{"pattern":5}}`, askuser.ReasonWrongKind, []string{"`validation.pattern`"}},
		"invalid UTF-8":                    {"{\"question\":\"a\xff\"}", askuser.ReasonEncoding, []string{"UTF-8"}},
		"NUL":                              {"{\"question\":\"a\x00\"}", askuser.ReasonEncoding, []string{"U+0000"}},
		"escaped NUL":                      {`{"question":"a\u0000"}`, askuser.ReasonEncoding, []string{"U+0000"}},
		"NUL in a name":                    {`{"question":"Q","options":{"a\u0000":"A"}}`, askuser.ReasonEncoding, []string{"U+0000"}},
		"half a surrogate pair":            {`{"question":"a\ud83d"}`, askuser.ReasonEncoding, []string{"surrogate"}},
		"the other half":                   {`{"question":"Q","validation":{"pattern":"[\udc00]"}}`, askuser.ReasonEncoding, []string{"surrogate"}},
		"deep nesting":                     {`{"question":"Q","x":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, askuser.ReasonTooDeep, []string{"64"}},
	} {
		t.Run(name, func(t *testing.T) {
			refused := refusal(t, tool, c.arguments)
			if refused.Reason != c.reason {
				t.Errorf("reason %q, want %q (%s)", refused.Reason, c.reason, refused.Message)
			}
			for _, part := range c.says {
				if !strings.Contains(refused.Message, part) {
					t.Errorf("message does not say %q: %s", part, refused.Message)
				}
			}
		})
	}
}

// A pair of escapes is one character; an escaped backslash does not begin an escape.
func TestEscapesThatAreCharacters(t *testing.T) {
	part := run(t, `{"question":"\ud83d\ude00 \\ud83d \u00e9","validation":{"pattern":"[\\ud83d\\ude00]"}}`).Question.Parts[0]
	if want := `😀 \ud83d é`; part.Question != want {
		t.Errorf("question %q, want %q", part.Question, want)
	}
	if want := `[\ud83d\ude00]`; part.Validation.Pattern != want {
		t.Errorf("pattern %q, want %q", part.Validation.Pattern, want)
	}
}

// Several faults are listed at once, so that one call can correct all of them.
func TestSeveralFaultsInOneMessage(t *testing.T) {
	refused := refusal(t, newTool(), `{"questions":[{"question":""},{"question":"Q","type":"nope"},{"question":"Q","options":[{"label":""}]}]}`)
	for _, part := range []string{"`questions[0].question`", "`questions[1].input_type`", "`questions[2].options[0].label`"} {
		if !strings.Contains(refused.Message, part) {
			t.Errorf("message does not say %q: %s", part, refused.Message)
		}
	}
	refused = refusal(t, newTool(), `{"question":"Q","options":[`+strings.Repeat(`"",`, 19)+`""]}`)
	if n := strings.Count(refused.Message, "label"); n != 5 || !strings.Contains(refused.Message, "15 more") {
		t.Errorf("%d faults listed: %s", n, refused.Message)
	}
}

// Arguments of any size and shape are handled without delay.
func TestHugeArgumentsAreRefusedQuickly(t *testing.T) {
	tool := newTool()
	for name, arguments := range map[string]string{
		"10 MB of text":     `{"question":"` + strings.Repeat("a", 10<<20) + `"}`,
		"10 MB of brackets": strings.Repeat("[", 10<<20),
		"brackets":          strings.Repeat("[", 200<<10),
		"objects":           strings.Repeat(`{"a":`, 40<<10),
		"many keys":         `{"question":"","a":[` + strings.Repeat(`{"b":1},`, 30<<10) + `1]}`,
	} {
		start := time.Now()
		refusal(t, tool, arguments)
		t.Logf("%s: %v", name, time.Since(start))
	}
}

// The admin's limits apply, and are in the messages.
func TestLimitsInForce(t *testing.T) {
	tool := askuser.New(askuser.Limits{MaxQuestions: 1, MaxOptions: 2, MaxAnswer: 10}, nil)
	for arguments, says := range map[string]string{
		`{"questions":["a","b"]}`:                  "limit is 1",
		`{"question":"Q","options":["a","b","c"]}`: "limit is 2",
		`{"question":"Q","validation":{"min":11}}`: "limit is 10",
	} {
		if refused := refusal(t, tool, arguments); !strings.Contains(refused.Message, says) {
			t.Errorf("%s: %s", arguments, refused.Message)
		}
	}
	outcome, err := tool.Run(t.Context(), tools.Call{Arguments: `{"question":"Q","type":"confirm"}`})
	if err != nil || outcome.Question.MaxAnswer != 10 || outcome.Question.Parts[0].Options[0].Label != "Yes" {
		t.Errorf("question %+v, %v", outcome.Question, err)
	}
}

// Run is deterministic: the same arguments give the same question, repairs and message.
func TestRunIsDeterministic(t *testing.T) {
	arguments := `{"prompt":"Q","Question_Text":"R","type":"number","minimum":1,"min_value":2,"max":"5","message":"m","validation":{"regex":"a"}}`
	first := run(t, arguments)
	for range 50 {
		again := run(t, arguments)
		if toJSON(t, again.Question) != toJSON(t, first.Question) || !slices.Equal(again.Repairs, first.Repairs) {
			t.Fatalf("%+v, then %+v", first, again)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	tool := newTool()
	for name, arguments := range map[string]string{
		"text":   `{"question":"Which project?","input_type":"text"}`,
		"select": `{"question":"What format would you like the report in?","header":"Format","input_type":"select","options":[{"label":"PDF","value":"pdf","recommended":true},{"label":"Word Document","value":"docx"},{"label":"Plain text","value":"txt"}],"allow_other":true}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tool.Run(b.Context(), tools.Call{Arguments: arguments, Language: "en"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Texts for people have no control characters and no direction overrides. The characters of
// ordinary texts are unchanged.
func TestTextsArePlainToSee(t *testing.T) {
	const bad, honest = `\u202e\u2066\u0007\u009b`, "می\u200cخواهم 👩\u200d💻 שלום\u200f! ❤\ufe0f Donau\u00addampfer\n\tnext"
	quoted, _ := json.Marshal(honest)
	text := strings.Trim(string(quoted), `"`)
	outcome, err := newTool().Run(t.Context(), tools.Call{Arguments: strings.NewReplacer("BAD", bad, "TEXT", text).Replace(
		`{"questions":[{"question":"BADTEXTBAD","header":"BADTEXT","input_type":"select","options":[{"label":"BADTEXT","description":"TEXTBAD"},"Modem","Router"],"placeholder":"BADTEXT","context":"TEXTBAD"},` +
			`{"question":"Q","input_type":"text","validation":{"min":2,"message":"TBADEXT"}}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	p, header := outcome.Question.Parts[0], string([]rune(honest)[:30])
	for field, got := range map[string]string{"question": p.Question, "label": p.Options[0].Label, "value": p.Options[0].Value,
		"description": p.Options[0].Description, "placeholder": p.Placeholder, "context": p.Context} {
		if got != honest {
			t.Errorf("%s: %+q, want %+q", field, got, honest)
		}
	}
	if p.Header != strings.TrimSpace(header) || outcome.Question.Parts[1].Validation.Message != "TEXT" || !slices.Contains(outcome.Repairs, askuser.RepairCharacters) {
		t.Errorf("%+q, %q, %v", p.Header, outcome.Question.Parts[1].Validation.Message, outcome.Repairs)
	}
}
