package locales_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"

	"github.com/askgate/askgate/locales"
)

// required are the ids that other packages build from a code or a name.
var required = []string{
	"problem.invalid_request", "problem.unauthenticated", "problem.forbidden", "problem.not_found",
	"problem.turn_in_progress", "problem.clarification_pending", "problem.already_answered",
	"problem.idempotency_conflict", "problem.invalid_clarification", "problem.clarification_limit", "problem.clarification_closed", "problem.too_large",
	"problem.unsupported_media_type", "problem.no_file_wanted", "problem.files_unavailable", "problem.invalid_answer", "problem.rate_limited", "problem.draining",
	"problem.store_unavailable", "problem.auth_unavailable", "problem.internal", "problem.method_not_allowed", "problem.not_acceptable",
	"problem.model_error", "problem.model_rate_limited", "problem.model_timeout", "problem.model_unavailable",
	"answer.required", "answer.blank", "answer.type", "answer.type_text", "answer.type_number", "answer.type_date",
	"answer.type_confirm", "answer.type_file", "answer.file", "answer.file_type", "answer.file_size", "answer.option", "answer.other_not_allowed", "answer.skip_not_allowed",
	"answer.not_expected", "answer.too_long", "answer.note_too_long", "answer.too_short", "answer.pattern", "answer.pattern_limit",
	"answer.min", "answer.max", "answer.integer", "answer.date_min", "answer.date_max", "answer.too_few",
	"answer.too_many", "answer.count", "answer.not_asked", "answer.not_permitted", "answer.other_approver",
	"answer.format_email", "answer.format_uri", "answer.format_phone", "answer.format_duration",
	"ask.too_large", "ask.too_deep", "ask.encoding", "ask.duplicate_name", "ask.not_object", "ask.wrong_kind", "ask.blank_question", "ask.too_long",
	"ask.unknown_type", "ask.no_files", "ask.accept", "ask.no_options", "ask.option_lists", "ask.options_type", "ask.too_many_options", "ask.too_many_questions", "ask.bad_label", "ask.duplicate_option",
	"ask.several_recommended", "ask.bad_range", "ask.secret", "ask.bad_expiry", "ask.unknown_template", "ask.template_value", "ask.pattern",
	"ask.unknown_format", "ask.bad_default", "ask.bad_condition",
	"confirm.yes", "confirm.no", "confirm.yes_words", "confirm.no_words", "skip.words", "other.words",
	"turn.max_steps", "approval.question", "page.title",
}

// message is one entry of a message file: its plural forms, or only "other".
type message map[string]string

func (m *message) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*m = message{"other": text}
		return nil
	}
	return json.Unmarshal(data, (*map[string]string)(m))
}

func readFiles(t *testing.T) map[string]map[string]message {
	t.Helper()
	paths, err := filepath.Glob("active.*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no message files: %v", err)
	}
	files := map[string]map[string]message{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]message
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		files[strings.TrimSuffix(strings.TrimPrefix(path, "active."), ".json")] = file
	}
	return files
}

func catalog(t testing.TB) *locales.Catalog {
	t.Helper()
	c, err := locales.New()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryLanguageHasTheSameIDs(t *testing.T) {
	files := readFiles(t)
	english := files["en"]
	for lang, file := range files {
		for id := range english {
			if _, ok := file[id]; !ok {
				t.Errorf("%s lacks %s", lang, id)
			}
		}
		for id, m := range file {
			if _, ok := english[id]; !ok {
				t.Errorf("%s has %s, which en lacks", lang, id)
			}
			if got, want := len(m) > 1, len(english[id]) > 1; got != want {
				t.Errorf("%s: %s has plural forms: %v, in en: %v", lang, id, got, want)
			}
			for form, text := range m {
				if strings.TrimSpace(text) != text || text == "" {
					t.Errorf("%s: %s (%s) is blank or begins or ends with white space", lang, id, form)
				}
			}
		}
	}
	for _, id := range required {
		if _, ok := english[id]; !ok {
			t.Errorf("en lacks %s", id)
		}
		if code, ok := strings.CutPrefix(id, "problem."); ok {
			if _, ok := english["title."+code]; !ok {
				t.Errorf("en lacks title.%s", code)
			}
		}
	}
}

func TestEveryLanguageUsesTheSameParameters(t *testing.T) {
	files := readFiles(t)
	for id, english := range files["en"] {
		want := parameters(t, id, english["other"])
		if len(english) > 1 && !slices.Contains(want, "Count") {
			t.Errorf("%s has plural forms but no parameter Count", id)
		}
		for lang, file := range files {
			for form, text := range file[id] {
				if got := parameters(t, lang+" "+id, text); !slices.Equal(got, want) {
					t.Errorf("%s: %s (%s) has the parameters %q, en has %q", lang, id, form, got, want)
				}
			}
			if forBrowsers(id) {
				if got, want := braces(file[id]["other"]), braces(english["other"]); !slices.Equal(got, want) {
					t.Errorf("%s: %s has the placeholders %q, en has %q", lang, id, got, want)
				}
			}
		}
	}
}

// parameters are the names after a dot in a template, sorted, each once.
func parameters(t *testing.T, id, text string) []string {
	t.Helper()
	tmpl, err := template.New(id).Parse(text)
	if err != nil {
		t.Errorf("%s: %v", id, err)
		return nil
	}
	var names []string
	var walk func(n parse.Node)
	walk = func(n parse.Node) {
		switch n := n.(type) {
		case *parse.ListNode:
			if n != nil {
				for _, child := range n.Nodes {
					walk(child)
				}
			}
		case *parse.ActionNode:
			walk(n.Pipe)
		case *parse.IfNode:
			walk(n.Pipe)
			walk(n.List)
			walk(n.ElseList)
		case *parse.PipeNode:
			for _, c := range n.Cmds {
				for _, arg := range c.Args {
					walk(arg)
				}
			}
		case *parse.FieldNode:
			names = append(names, n.Ident[0])
		case *parse.TextNode, *parse.IdentifierNode, *parse.StringNode:
		default:
			t.Errorf("%s uses %T: parameters and if are all that is needed", id, n)
		}
	}
	walk(tmpl.Root)
	slices.Sort(names)
	return slices.Compact(names)
}

// braces are the {placeholders} of a text that page or card fills in itself.
func braces(text string) []string {
	var names []string
	for {
		_, rest, ok := strings.Cut(text, "{")
		if !ok {
			break
		}
		var name string
		name, text, _ = strings.Cut(rest, "}")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// French has a narrow space that does not break before a colon and the like, and inside of quotation
// marks. A question mark after "sur" is a key.
func TestFrenchSpacesDoNotBreak(t *testing.T) {
	data, err := os.ReadFile("active.fr.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`"([\w.]+)": .*(« | [:;!»%]|[^r] \?)`).FindAllSubmatch(data, -1) {
		t.Errorf("%s has a plain space before or after %q", found[1], found[2])
	}
}

func TestEveryTextRenders(t *testing.T) {
	c := catalog(t)
	files := readFiles(t)
	for _, lang := range c.Languages() {
		for id, m := range files[lang] {
			data := map[string]any{}
			for _, name := range parameters(t, id, m["other"]) {
				data[name] = "given"
			}
			for _, count := range []int{0, 1, 2, 11, 4000, 1_000_000} {
				for _, state := range []string{"expired", "superseded", "cancelled"} {
					data["Count"], data["State"] = count, state
					text := c.Text(lang, id, data)
					if text == id || strings.Contains(text, "<no value>") || strings.Contains(text, "{{") {
						t.Fatalf("%s: %s with Count %d renders as %q", lang, id, count, text)
					}
				}
			}
		}
	}
}

func TestPluralForms(t *testing.T) {
	c := catalog(t)
	for _, tt := range []struct {
		lang  string
		count any
		want  string
	}{
		{"en", 0, "0 seconds"},
		{"en", 1, "1 second."},
		{"en", 2, "2 seconds"},
		{"de", 0, "0 Sekunden"},
		{"de", 1, "1 Sekunde "},
		{"de", 2, "2 Sekunden"},
		{"fr", 0, "0 seconde."}, // zero is singular in French
		{"fr", 1, "1 seconde."},
		{"fr", 2, "2 secondes"},
		{"fr", 1_000_000, "1000000 secondes"},
		{"es", 0, "0 segundos"},
		{"es", 1, "1 segundo."},
		{"es", 2, "2 segundos"},
		{"es", int64(1), "1 segundo."},
		{"en", 1.5, "1.5 seconds"}, // not a number of things: the general form
	} {
		got := c.Text(tt.lang, "problem.rate_limited", map[string]any{"Count": tt.count})
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s, %v: %q lacks %q", tt.lang, tt.count, got, tt.want)
		}
	}
}

func TestTextFallsBack(t *testing.T) {
	c := catalog(t)
	const id = "confirm.yes"
	for lang, want := range map[string]string{
		"de": "Ja", "de-AT": "Ja", "de_CH": "Ja", "DE": "Ja", "fr-CA": "Oui", "es-419": "Sí",
		"en-GB": "Yes", "zh": "Yes", "": "Yes", "no such tag": "Yes", "\x00": "Yes",
	} {
		if got := c.Text(lang, id, nil); got != want {
			t.Errorf("Text(%q) = %q, want %q", lang, got, want)
		}
	}
	for _, id := range []string{"no.such.id", "", "confirm"} {
		if got := c.Text("de", id, nil); got != id {
			t.Errorf("the unknown id %q comes back as %q", id, got)
		}
	}
}

func TestUserTextIsNotExpanded(t *testing.T) {
	const text = `{{.Max}} <b>&amp;`
	got := catalog(t).Text("en", "detail.unknown_field", map[string]any{"Field": text, "Max": 1})
	if !strings.Contains(got, text) {
		t.Errorf("%q does not hold %q as it stands", got, text)
	}
}

// forBrowsers says whether a text is one of the pages or the card.
func forBrowsers(id string) bool {
	return strings.HasPrefix(id, "page.") || strings.HasPrefix(id, "card.") || strings.HasPrefix(id, "admin.")
}

func TestAllIsTheTextsOfPagesAndCard(t *testing.T) {
	c := catalog(t)
	english := c.All("en")
	for _, id := range []string{"page.send", "card.label", "admin.sign_in"} {
		if english[id] == "" {
			t.Errorf("%s is missing", id)
		}
	}
	for _, lang := range append(c.Languages(), "de-AT", "zh") {
		all := c.All(lang)
		if len(all) != len(english) || len(all) == 0 {
			t.Errorf("%s has %d texts, en has %d", lang, len(all), len(english))
		}
		for id, text := range all {
			if !forBrowsers(id) || strings.Contains(text, "{{") || text == "" {
				t.Errorf("%s: %s is not a plain text of a page or the card: %q", lang, id, text)
			}
		}
	}
	if got := c.All("de-AT")["page.send"]; got != "Senden" {
		t.Errorf("page.send of de-AT is %q", got)
	}
	english["page.send"] = "changed"
	if c.All("en")["page.send"] == "changed" {
		t.Error("a caller can change the catalog's texts")
	}
}

func TestWordsForYesAndNoDoNotMeet(t *testing.T) {
	c := catalog(t)
	for _, lang := range c.Languages() {
		words := func(id string) []string {
			list := strings.Split(c.Text(lang, id, nil), ",")
			for i := range list {
				list[i] = strings.TrimSpace(list[i])
				if list[i] == "" || list[i] != strings.ToLower(list[i]) {
					t.Errorf("%s: %s has the word %q, which is blank or not in lower case", lang, id, list[i])
				}
			}
			return list
		}
		yes, no := words("confirm.yes_words"), words("confirm.no_words")
		for _, w := range yes {
			if slices.Contains(no, w) {
				t.Errorf("%s: %q means both", lang, w)
			}
		}
		if !slices.Contains(yes, strings.ToLower(c.Text(lang, "confirm.yes", nil))) ||
			!slices.Contains(no, strings.ToLower(c.Text(lang, "confirm.no", nil))) {
			t.Errorf("%s: the label is not among the words", lang)
		}
		skip := words("skip.words")
		if !slices.Contains(skip, strings.ToLower(c.Text(lang, "card.skip", nil))) || slices.ContainsFunc(skip, func(w string) bool { return slices.Contains(yes, w) || slices.Contains(no, w) }) {
			t.Errorf("%s: the words for skipping lack the label, or say yes or no: %q", lang, skip)
		}
		hint := regexp.MustCompile(`[„"«][\s\x{202f}]*(.+?)[\s\x{202f}]*[“"»]`).FindStringSubmatch(c.Text(lang, "ask.skip", nil))
		if hint == nil || !slices.Contains(skip, hint[1]) {
			t.Errorf("%s: ask.skip quotes a word that does not skip: %q", lang, hint)
		}
		if len(words("other.words")) < 5 {
			t.Errorf("%s: few words for other", lang)
		}
	}
}

func TestLanguages(t *testing.T) {
	if got := catalog(t).Languages(); !slices.Equal(got, []string{"en", "de", "es", "fr"}) {
		t.Errorf("Languages() = %q", got)
	}
}
