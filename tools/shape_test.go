package tools_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/askgate/askgate/tools"
)

func TestFoldMakesOneOfTheSameWords(t *testing.T) {
	for _, same := range [][]string{
		{"Which format?", "which format", "WHICH FORMAT ?", " Which\n  format?! ", "Which format…", "Which format...", "Which format:", "Ｗｈｉｃｈ ｆｏｒｍａｔ？", "Which\u00a0format\u202f?", "Which?format"},
		{"¿Qué formato?", "qué formato", "¡Qué formato!", "Que\u0301 formato"},
		{"Quel format, PDF ou CSV ?", "quel format PDF, ou CSV", "Quel format; pdf ou csv."},
		{"Welche Größe?", "WELCHE GRÖẞE"},
		{"Ποιος?", "ΠΟΙΟΣ", "ποιοσ"},
		{"Version 3.5?", "version 3.5.", "VERSION 3.5"},
		{"e.g. this", "E.G this"},
		{"ｶﾞ", "ガ"},
		{"", "?", " … ", "...", "\u0000"},
	} {
		for _, s := range same {
			if got, want := tools.Fold(s), tools.Fold(same[0]); got != want {
				t.Errorf("%q is %q, want %q", s, got, want)
			}
		}
	}
	if got, want := tools.Fold(" Which  Format, please?"), "which format please"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFoldKeepsWhatIsAnotherQuestion(t *testing.T) {
	for _, pair := range [][2]string{
		{"C#", "C"}, {"C++", "C"}, {"C++", "C+"}, {"3.5", "35"}, {"3.5", "3 5"}, {".5", "5"}, {"-5", "5"}, {"+5", "5"}, {"5%", "5"}, {"a/b", "a b"}, {"a/b", "ab"},
		{"@anna", "anna"}, {"#1", "1"}, {"1,000", "1000"}, {"10:30", "1030"}, {":80", "80"}, {"a-b", "a b"}, {"x^2", "x2"}, {"10²", "102"}, {"½", "12"}, {"a != b", "a = b"},
		{"Welche Maße?", "Welche Masse?"}, {"ob", "öb"}, {"resume", "résumé"}, {"ano", "año"}, {"sí", "si"}, {"a.b", "a b"}, {"node.js", "nodejs"}, {"the rapist", "therapist"},
		{"Which format?", "Which formats?"}, {"Delete A?", "Delete B?"}, {"$5", "€5"}, {"(a)", "a"}, {"don't", "dont"}, {"What?Else", "WhatElse"}, {"< 5", "> 5"}, {"~", ""},
	} {
		if tools.Fold(pair[0]) == tools.Fold(pair[1]) {
			t.Errorf("%q and %q are both %q", pair[0], pair[1], tools.Fold(pair[0]))
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Which format?", "..5 ..a", "!=", "! =", "ΑΣ. ς", "ﬀ ẞ ſ K İ ı", "e\u0301\u0327", "ｶﾞ", "\xff?", "ͅΩ", "?\u0301", "：８０"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := tools.Fold(s)
		if again := tools.Fold(folded); again != folded {
			t.Fatalf("%q is %q, and that is %q", s, folded, again)
		}
		if strings.ContainsFunc(folded, func(r rune) bool { return unicode.IsSpace(r) && r != ' ' }) || strings.Contains(folded, "  ") || strings.TrimSpace(folded) != folded {
			t.Fatalf("white space in %q", folded)
		}
		if asked := tools.Fold("¿ " + s + " ?"); asked != folded {
			t.Fatalf("%q is %q, and %q as a question", s, folded, asked)
		}
	})
}

func choice(text string, values ...string) tools.Question {
	p := tools.Part{Question: text, InputType: tools.Select}
	for _, v := range values {
		p.Options = append(p.Options, tools.Option{Label: strings.ToUpper(v), Value: v})
	}
	return tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{p}}
}

func TestShapeIsWhatIsAsked(t *testing.T) {
	base := choice("Which format?", "pdf", "csv")
	if got, want := base.Shape(), "cbbc05c7dede7939"; got != want {
		t.Errorf("the shape of old rows was %s, and is now %s", want, got)
	}
	same := choice("which  format", "csv", "pdf")
	same.Parts[0].ID, same.Parts[0].Header, same.Parts[0].AllowSkip = "q1", "Format", true
	same.Parts[0].Options[0].Recommended = true
	if same.Shape() != base.Shape() {
		t.Error("the same question has another shape")
	}

	text := choice("Which format?")
	text.Parts[0].InputType = tools.Text
	form := tools.Question{Parts: []tools.Part{base.Parts[0], text.Parts[0]}}
	turned := tools.Question{Parts: []tools.Part{text.Parts[0], base.Parts[0]}}
	live := choice("Which format?", "pdf", "csv")
	live.Sources = []tools.OptionSource{{Part: 0, Template: "formats", Arguments: "{}"}}
	elsewhere := choice("Which format?", "pdf", "csv")
	elsewhere.Sources = []tools.OptionSource{{Part: 0, Template: "formats", Arguments: `{"a":1}`}}
	seen := map[string]string{}
	for name, q := range map[string]tools.Question{
		"base": base, "text": text, "form": form, "turned": turned, "live": live, "elsewhere": elsewhere,
		"more options": choice("Which format?", "pdf", "csv", "xml"), "other options": choice("Which format?", "pdf", "CSV"), "joined options": choice("Which format?", "pdf,csv"),
		"other text": choice("Which formats?", "pdf", "csv"),
	} {
		if other, ok := seen[q.Shape()]; ok {
			t.Errorf("%s has the shape of %s", name, other)
		}
		seen[q.Shape()] = name
	}

	live.Parts[0].Options = live.Parts[0].Options[:1]
	if seen[live.Shape()] != "live" {
		t.Error("the current options of a source change the shape")
	}
}
