package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
	"github.com/askgate/askgate/tools/memory"
)

// kept is the memory of one user.
type kept map[string]string

func (k kept) Remember(_ context.Context, key, text string) error {
	k[key] = text
	return nil
}

func (k kept) Forget(_ context.Context, key string) (bool, error) {
	_, found := k[key]
	delete(k, key)
	return found, nil
}

func call(t *testing.T, tool tools.Tool, k tools.Memory, of map[string]string) (string, error) {
	t.Helper()
	sent, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	out, err := tool.Run(t.Context(), tools.Call{Arguments: string(sent), Memory: k})
	return out.Result, err
}

func TestWordsAreKeptAndForgotten(t *testing.T) {
	k := kept{}
	for _, of := range []map[string]string{{"key": "tone", "text": " Write informally.\u202e\a "}, {"key": "tone", "text": "Write formally."}, {"key": "units", "text": "Metric,\nplease."}} {
		if result, err := call(t, memory.Remember{}, k, of); err != nil || !strings.Contains(result, of["key"]) {
			t.Errorf("%v: %q, %v", of, result, err)
		}
	}
	if k["tone"] != "Write formally." || k["units"] != "Metric,\nplease." || len(k) != 2 {
		t.Errorf("%v", k)
	}
	if _, err := call(t, memory.Remember{}, k, map[string]string{"key": "tone", "text": " a\u202e "}); err != nil || k["tone"] != "a" {
		t.Errorf("not cleaned: %q, %v", k["tone"], err)
	}
	for range 2 {
		result, err := call(t, memory.Forget{}, k, map[string]string{"key": "tone"})
		if err != nil {
			t.Fatal(err)
		}
		if _, there := k["tone"]; there || !strings.Contains(result, "tone") {
			t.Errorf("%v, %s", k, result)
		}
	}
}

// TestSecretsAreNotKept: texts that are about a secret, contain one or are blank are refused;
// texts that only sound similar are kept.
func TestSecretsAreNotKept(t *testing.T) {
	for text, key := range map[string]string{
		"hunter2": "wifi_password", "4711": "pin", "sk-live-abcdefghijklmnop": "note", "the token is ghp_abcdefghijklmnopqrstuvwxyz0123456789": "git",
		"4111 1111 1111 1111": "card", "postgres://alice:geheim@db.example.org/prod": "database", " \u200b": "blank",
		"My Wi-Fi password is hunter2.": "home", "Flies often. The user's PIN is 4711.": "travel", "Das WLAN-Passwort lautet sommer": "notiz",
		"mot de passe : soleil": "maison", "Mi contraseña es perro": "casa", "PIN 4711": "note",
	} {
		k := kept{}
		_, err := call(t, memory.Remember{}, k, map[string]string{"key": key, "text": text})
		refused, ok := errors.AsType[*tools.Error](err)
		if !ok || refused.Code != tools.CodeInvalidArguments || len(k) != 0 {
			t.Errorf("%s: %q is kept: %v, %v", key, text, k, err)
		}
		if ok && strings.TrimSpace(text) != "" && text != " \u200b" && strings.Contains(refused.Message, text) {
			t.Errorf("the refusal repeats it: %s", refused.Message)
		}
	}
	for text, key := range map[string]string{
		"Reports as PDF, in German.": "report_format", "Uses the password manager of the company.": "tools", "My dog is called Token.": "dog",
		"The password manager is Bitwarden.": "software", "The password policy is 12 characters.": "policy", "Prefers flights before 9": "flights", "The report is due on day 5.": "report",
		"Customer number 4711-22.": "customer_number", "Always answer in short sentences.": "style",
	} {
		k := kept{}
		if _, err := call(t, memory.Remember{}, k, map[string]string{"key": key, "text": text}); err != nil || k[key] != text {
			t.Errorf("%s: %q is not kept: %v", key, text, err)
		}
	}
}

// TestWhereNothingIsKept: the tools return an error in a chat without a memory.
func TestWhereNothingIsKept(t *testing.T) {
	for _, tool := range []tools.Tool{memory.Remember{}, memory.Forget{}} {
		_, err := call(t, tool, nil, map[string]string{"key": "tone", "text": "x"})
		if refused, ok := errors.AsType[*tools.Error](err); !ok || refused.Code != tools.CodeNotAvailable {
			t.Errorf("%T: %v", tool, err)
		}
	}
}

// TestArgumentsHaveLimits: the limits of keys and texts are checked before a tool runs.
func TestArgumentsHaveLimits(t *testing.T) {
	for _, tool := range []tools.Describer{memory.Remember{}, memory.Forget{}} {
		_, parameters := tool.Definition()
		schema, err := arguments.Compile(parameters)
		if err != nil {
			t.Fatal(err)
		}
		text := `,"text":"x"`
		if _, only := tool.(memory.Forget); only {
			text = ""
		}
		for sent, sound := range map[string]bool{
			`{"key":"tone"` + text + `}`: true, `{"key":"` + strings.Repeat("k", 64) + `"` + text + `}`: true,
			`{"key":"` + strings.Repeat("k", 65) + `"` + text + `}`: false, `{"key":""` + text + `}`: false, `{"key":"two words"` + text + `}`: false,
			`{"text":"x"}`: false, `{"key":"tone"` + text + `,"more":1}`: false,
			`{"key":"tone","text":"` + strings.Repeat("é", 501) + `"}`: false,
		} {
			if err := schema.Check(sent); (err == nil) != sound {
				t.Errorf("%T %.80s: %v", tool, sent, err)
			}
		}
	}
}
