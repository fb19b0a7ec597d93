package askuser_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

const fileID = "fil_abcdefghijklmnopqrstuvwxyz"

func newFileTool() *askuser.Tool { return askuser.New(askuser.Limits{MaxFile: 1000}, german) }

// fileQuestion returns the question for arguments, of a tool that accepts files of up to 1000 bytes.
func fileQuestion(t *testing.T, arguments string) tools.Question {
	t.Helper()
	out, err := newFileTool().Run(t.Context(), tools.Call{Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	return *out.Question
}

func TestAQuestionForAFileSaysWhatItTakes(t *testing.T) {
	for _, c := range []struct {
		fields string
		accept []string
		max    int64
	}{
		{``, nil, 1000},
		{`,"accept":["image/*",".CSV","application/pdf"],"maxBytes":500`, []string{"image/*", ".csv", "application/pdf"}, 500},
		{`,"accept":".pdf, image/jpg,.pdf"`, []string{".pdf", "image/jpeg"}, 1000},
		{`,"fileTypes":["pdf"],"max_bytes":"12"`, []string{".pdf"}, 12},
		{`,"accept":["*/*"],"maxBytes":5000`, nil, 1000},
	} {
		p := fileQuestion(t, `{"question":"Which file?","type":"upload"`+c.fields+`}`).Parts[0]
		if p.InputType != tools.File || !slices.Equal(p.Accept, c.accept) || p.MaxBytes != c.max {
			t.Errorf("%s: %+v", c.fields, p)
		}
	}
}

// Only questions for files have accept and maxBytes.
func TestNoOtherQuestionTakesFiles(t *testing.T) {
	for _, kind := range []string{`"text"`, `"confirm"`, `"number"`, `"select","options":["a","b"]`} {
		if p := fileQuestion(t, `{"question":"And?","input_type":`+kind+`,"accept":"a b","maxBytes":7}`).Parts[0]; p.MaxBytes != 0 || p.Accept != nil {
			t.Errorf("%s: %+v", kind, p)
		}
	}
}

func TestAQuestionForAFileIsRefused(t *testing.T) {
	many := `["` + strings.Repeat(`.a","`, 20) + `.b"]`
	for fields, want := range map[string]struct{ reason, says string }{
		`,"accept":["a b"]`:    {askuser.ReasonAccept, `such as "application/pdf"`},
		`,"accept":["image/"]`: {askuser.ReasonAccept, "`accept` has the entry"},
		`,"accept":[7]`:        {askuser.ReasonAccept, "media type"},
		`,"accept":true`:       {askuser.ReasonWrongKind, "array of texts"},
		`,"accept":` + many:    {askuser.ReasonAccept, "21 entries, the limit is 20"},
		`,"maxBytes":0`:        {askuser.ReasonBadRange, "whole number of bytes"},
		`,"maxBytes":1.5`:      {askuser.ReasonBadRange, "whole number of bytes"},
		`,"maxBytes":"a lot"`:  {askuser.ReasonBadRange, "must be a number"},
		`,"maxBytes":-1`:       {askuser.ReasonBadRange, "from 1"},
		`,"accept":["` + strings.Repeat("x", 5000) + `"]`: {askuser.ReasonAccept, "not a file type"},
	} {
		refused := refusal(t, newFileTool(), `{"question":"Q","input_type":"file"`+fields+`}`)
		if refused.Reason != want.reason || !strings.Contains(refused.Message, want.says) || len(refused.Message) > 1000 {
			t.Errorf("%s: %s: %s", fields, refused.Reason, refused.Message)
		}
	}
	refused := refusal(t, newTool(), `{"question":"Q","input_type":"file"}`)
	if refused.Reason != askuser.ReasonNoFiles || !strings.Contains(refused.Message, "ask for the text that matters") {
		t.Errorf("where no files are kept: %+v", refused)
	}
}

// Only the id comes from the model and from clients: the description of the file comes from the
// store.
func TestAFileAnswers(t *testing.T) {
	q := fileQuestion(t, `{"question":"Which?","input_type":"file","accept":["text/*"],"maxBytes":100,"allow_skip":true}`)
	answer := tools.Answer{Value: json.RawMessage(`"` + fileID + `"`), File: &tools.Attachment{Name: "a\nQ2 (x): b.csv", Type: "text/csv", Size: 12}}
	checked, err := newFileTool().Check(q, answer)
	if err != nil {
		t.Fatal(err)
	}
	again, err := newFileTool().Check(q, checked)
	if err != nil || toJSON(t, again) != toJSON(t, checked) || checked.File == nil || string(checked.Value) != string(answer.Value) {
		t.Errorf("checked %s, again %s: %v", toJSON(t, checked), toJSON(t, again), err)
	}
	out, err := newFileTool().Resume(t.Context(), tools.Call{}, q, tools.Closing{State: tools.StateAnswered, Answer: &checked})
	if want := "a Q2 (x): b.csv (text/csv, 12 bytes)"; err != nil || out.Result != want {
		t.Errorf("the model reads %q, %v", out.Result, err)
	}
	for _, c := range []struct {
		answer tools.Answer
		code   string
	}{
		{tools.Answer{Value: json.RawMessage(`"a.csv"`)}, askuser.FaultTypeFile},
		{tools.Answer{Value: json.RawMessage(`"fil_../../../../../../etc/passwd"`)}, askuser.FaultTypeFile},
		{tools.Answer{Value: json.RawMessage(`7`)}, askuser.FaultTypeFile},
		{tools.Answer{Value: json.RawMessage(`""`)}, askuser.FaultBlank},
		{tools.Answer{}, askuser.FaultRequired},
		{tools.Answer{Value: answer.Value, File: &tools.Attachment{Name: "a.png", Type: "image/png", Size: 1}}, askuser.FaultFileType},
		{tools.Answer{Value: answer.Value, File: &tools.Attachment{Name: "a.csv", Type: "text/csv", Size: 101}}, askuser.FaultFileSize},
	} {
		_, err := newFileTool().Check(q, c.answer)
		var refused *tools.AnswerError
		if !errors.As(err, &refused) || len(refused.Fields) != 1 || refused.Fields[0].Code != c.code {
			t.Errorf("%s: %v, want %s", toJSON(t, c.answer), err, c.code)
		}
	}
	if checked, err := newFileTool().Check(q, tools.Answer{Skipped: true, File: answer.File}); err != nil || checked.File != nil {
		t.Errorf("skipped: %+v, %v", checked, err)
	}
	text := fileQuestion(t, `{"question":"Which?","input_type":"text"}`)
	if checked, err := newFileTool().Check(text, answer); err != nil || checked.File != nil {
		t.Errorf("a text that looks like an id: %+v, %v", checked, err)
	}
}

// Sizes are formatted for people and never rounded up.
func TestSizesOfFiles(t *testing.T) {
	q := fileQuestion(t, `{"question":"Which?","input_type":"file"}`)
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1 kB", 1500: "1.5 kB", 999_999: "999.9 kB", 1_000_000: "1 MB", 26_214_400: "26.2 MB", 7e9: "7 GB"} {
		answer := tools.Answer{Value: json.RawMessage(`"` + fileID + `"`), File: &tools.Attachment{Name: "a", Type: "text/csv", Size: n}}
		out, err := newFileTool().Resume(t.Context(), tools.Call{}, q, tools.Closing{State: tools.StateAnswered, Answer: &answer})
		if err != nil || out.Result != "a (text/csv, "+want+")" {
			t.Errorf("%d: %q, %v", n, out.Result, err)
		}
	}
}

// A message never answers with a file, even if it is the id of one.
func TestAMessageIsNoFile(t *testing.T) {
	q := fileQuestion(t, `{"question":"Which?","input_type":"file","allow_skip":true}`)
	if a, ok := newFileTool().Read(q, fileID, "en"); ok {
		t.Errorf("read %+v", a)
	}
	if a, ok := newFileTool().Read(q, "skip", "en"); !ok || !a.Skipped {
		t.Errorf("a word for skipping: %+v", a)
	}
}

// The definition has files only if they can be stored.
func TestTheModelIsOfferedFiles(t *testing.T) {
	if _, schema := newTool().Definition(); strings.Contains(string(schema), `"file"`) || strings.Contains(string(schema), "accept") {
		t.Error("files are offered, but cannot be stored")
	}
	_, schema := newFileTool().Definition()
	for _, want := range []string{`"rank","file"]`, `"accept":{"type":"array","maxItems":20`, `"maximum":1000`} {
		if !json.Valid(schema) || strings.Count(string(schema), want) != 2 {
			t.Errorf("%s is not in the schema twice: %s", want, schema)
		}
	}
}

// A template may ask for a file. If files cannot be stored, the model gets a refusal.
func TestATemplateAsksForAFile(t *testing.T) {
	question := []byte(`{"question":"Which {what}?","input_type":"file","accept":["image/*"],"maxBytes":1e12}`)
	if err := askuser.CheckTemplate(question, false); err != nil {
		t.Fatal(err)
	}
	template := askuser.Template{Name: "pick", Values: []string{"what"}, Question: func(string) []byte { return question }}
	for most, want := range map[int64]int64{5: 5, math.MaxInt64: 1e12} {
		out, err := askuser.New(askuser.Limits{MaxFile: most}, german, template).Run(t.Context(), tools.Call{Arguments: `{"template":"pick","values":{"what":"photo"}}`})
		if err != nil || out.Question.Parts[0].MaxBytes != want || out.Question.Parts[0].InputType != tools.File {
			t.Errorf("%+v, %v", out.Question, err)
		}
	}
	refused := refusal(t, askuser.New(askuser.Limits{}, german, template), `{"template":"pick","values":{"what":"photo"}}`)
	if refused.Reason != askuser.ReasonNoFiles {
		t.Errorf("where no files are kept: %+v", refused)
	}
}
