package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/grounding/groundingtest"
)

func TestBothPartsAreMeasured(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, 4, 100, "", false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"tuning, seed 4, 100 dialogues\n", "heldout, seed 4, 100 dialogues\n", "heldout, sample of Schema-Guided Dialogue, seed 4\n", "fresh messages\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "\nall "); n != 5+len(groundingtest.Parts) {
		t.Errorf("%d tables in\n%s", n, out.String())
	}
}

func TestOnePartAloneIsMeasured(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, 4, 10, "heldout", true); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "tuning") || strings.Count(out.String(), "\nall ") != 2+len(groundingtest.Parts) {
		t.Errorf("the tables are\n%s", out.String())
	}
	if err := run(&out, 4, 10, "third", false); err == nil {
		t.Error("a part that does not exist is measured")
	}
}
