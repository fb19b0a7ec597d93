package mcptool_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tooltypes/clienttool"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

var types = []config.ToolType{mcptool.Type(nil, nil), clienttool.Type(nil)}

// Each error is reported at the mark, with what is wrong and how to fix it.
func TestFaultsOfEntries(t *testing.T) {
	for name, c := range map[string]struct {
		entry string
		want  []string
	}{
		"no mcp":             {`¶{"id": "x", "type": "mcp"}`, []string{`"mcp" is missing`}},
		"mcp elsewhere":      {`{"id": "x", "type": "client", "mcp": ¶{"url": "http://h"}}`, []string{`requires type "mcp"`}},
		"mcp address":        {`{"id": "x", "type": "mcp", "mcp": {"url": ¶"stdio"}}`, []string{"address of an MCP server"}},
		"mcp user":           {`{"id": "x", "type": "mcp", "mcp": {"url": ¶"http://u:secret@h"}}`, []string{`"Authorization"`}},
		"mcp host":           {`{"id": "x", "type": "mcp", "mcp": {"url": ¶"http://0x7f.1/mcp"}}`, []string{"decimal"}},
		"mcp fragment":       {`{"id": "x", "type": "mcp", "mcp": {"url": ¶"http://h/#x"}}`, []string{"not contain #"}},
		"mcp without server": {`{"id": "x", "type": "mcp", "mcp": ¶{}}`, []string{`"url" is missing`, `"command"`}},
		"two mcp servers":    {`{"id": "x", "type": "mcp", "mcp": {"url": "http://h", "command": ¶"p"}}`, []string{"remove one"}},
		"mcp url's key":      {`{"id": "x", "type": "mcp", "mcp": {"command": "p", "headers": ¶{}}}`, []string{`requires "url"`}},
		"mcp command's key":  {`{"id": "x", "type": "mcp", "mcp": {"url": "http://h", "args": ¶[]}}`, []string{`requires "command"`}},
		"mcp variable":       {`{"id": "x", "type": "mcp", "mcp": {"command": "p", "env": {¶"A-B": "1"}}}`, []string{"environment variable"}},
		"mcp argument":       {`{"id": "x", "type": "mcp", "mcp": {"command": "p", "args": [¶1]}}`, []string{"want a string"}},
		"mcp questions":      {`{"id": "x", "type": "mcp", "mcp": {"url": "http://h", ¶"elicitation": "cancel"}}`, []string{"no longer supported", `"parkTimeout": ""`}},
		"mcp park timeout":   {`{"id": "x", "type": "mcp", "mcp": {"url": "http://h", "parkTimeout": ¶"2h"}}`, []string{"1h"}},
		"mcp placeholder":    {`{"id": "x", "type": "mcp", "mcp": {"url": "http://h", "headers": {"A": "{caller.subject}", "B": ¶"x {caller.name}"}}}`, []string{"no placeholder {caller.name}", "{caller.claims.NAME}"}},
		"mcp id":             {`¶{"id": "x__y", "type": "mcp", "mcp": {"url": "http://h"}}`, []string{`no "__"`}},
	} {
		t.Run(name, func(t *testing.T) {
			configtest.Faulty(t, configtest.Tools(c.entry), nil, types, c.want...)
		})
	}
}

// A program that cannot be started here is a warning that says what to write.
func TestProgramsThatCannotBeStarted(t *testing.T) {
	spaced := filepath.Join(t.TempDir(), "my server")
	if err := os.WriteFile(spaced, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"npx -y  server":    `write "command": "npx", "args": ["-y", "server"]`,
		"no-such-program":   `the program "no-such-program" is not in PATH; install it, or write its path`,
		"./no-such-program": "correct the path",
		"/bin/sh":           "",
		"sh":                "",
		spaced:              "",
		"$COMMAND":          "",
	} {
		entry, _ := json.Marshal(map[string]any{"id": "x", "type": "mcp", "mcp": map[string]string{"command": command}})
		files := configtest.Tools(string(entry))
		files["apps/a.json"] = `{"id": "a", "tools": ["x"]}`
		s, err := configtest.Load(t, files, configtest.Env{"COMMAND": "secret path"}, types...)
		switch {
		case err != nil:
			t.Error(command, err)
		case want == "" && len(s.Warnings) > 0, want != "" && (len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, want)):
			t.Errorf("%s: %v", command, s.Warnings)
		}
	}
}

func TestOptionsOfAnEntry(t *testing.T) {
	s, err := configtest.Load(t, configtest.Tools(`{"id": "x", "type": "mcp", "mcp": {"command": "p", "args": ["a", "$KEY"], "env": {"A": "$KEY2", "B": "$$KEY"},
		"tools": ["t"], "parkTimeout": ""}}, {"id": "y", "type": "mcp", "mcp": {"url": "HTTP://h", "headers": {"X": "$KEY"}, "parkTimeout": "1h"}}`),
		configtest.Env{"KEY": "k-1", "KEY2": "k-2"}, types...)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]mcptool.Options{
		"x": {Command: "p", Args: []string{"a", "k-1"}, Env: map[string]string{"A": "k-2", "B": "$KEY"}, Tools: []string{"t"}, Timeout: 30 * time.Second, Secrets: []string{"k-1", "k-2"}},
		"y": {URL: "HTTP://h", Headers: map[string]string{"X": "k-1"}, Timeout: 30 * time.Second, Park: time.Hour, Secrets: []string{"k-1"}},
	} {
		entry, _ := s.Tool("assistant", id)
		if got := *entry.Own.(*mcptool.Options); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", id, got)
		}
		if entry, _ := s.Tool("assistant", id+"__t"); entry == nil || entry.ID != id {
			t.Errorf("%s__t is %v", id, entry)
		}
	}
}

func TestHeadersWithPlaceholders(t *testing.T) {
	files := configtest.Tools(`{"id": "x", "type": "mcp", "mcp": {"url": "https://h", "headers": {"X-User": "{caller.subject}@{caller.tenant}", "A": "Bearer {caller.claims.a.b}",
		"J": "{\"a\": 1}"}}}, {"id": "y", "type": "mcp", "mcp": {"url": "https://h", "headers": {"K": "$KEY"}}}`)
	files["gateway.json"] = `{"auth": {"mode": "jwt", "jwt": {"jwks": "https://h/k", "issuer": "i", "audience": ["a"]}}}`
	s, err := configtest.Load(t, files, configtest.Env{"KEY": "k"}, types...)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := s.Tool("assistant", "x")
	y, _ := s.Tool("assistant", "y")
	if got := x.Own.(*mcptool.Options).Personal; !slices.Equal(got, []string{"A", "X-User"}) {
		t.Errorf("headers with placeholders: %q", got)
	}
	if got := y.Own.(*mcptool.Options).Personal; len(got) > 0 {
		t.Errorf("headers with placeholders: %q", got)
	}
	if got := types[0].Placeholders(x); !slices.Equal(got, []string{"caller.claims.a.b", "caller.subject", "caller.tenant"}) {
		t.Errorf("placeholders %q", got)
	}
	if x, y := x.Shown().State, y.Shown().State; x != "connected per caller" || y != "" {
		t.Errorf("shown as %q and %q", x, y)
	}
}

// An entry's statements about its server's tools count before there is a server.
func TestTooManyToolsOfEntriesAreWarnedOf(t *testing.T) {
	for n, want := range map[int]int{63: 0, 64: 1} {
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint("t", i)
		}
		list, _ := json.Marshal(names)
		entries := configtest.Tools(fmt.Sprintf(`{"id": "x", "type": "mcp", "mcp": {"command": "sh", "tools": %s}}, {"id": "y", "type": "mcp", "mcp": {"url": "http://h", "tools": %[1]s}},
			{"id": "z", "type": "mcp", "mcp": {"url": "http://h"}}`, list))
		entries["apps/a.json"] = `{"id": "a", "name": "A", "tools": ["x", "y", "z", "ask_user"]}`
		s, err := configtest.Load(t, entries, nil, types...)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Warnings) != want || want > 0 && (!strings.Contains(s.Warnings[0].Message, "130 tools are too many") || s.Warnings[0].Line != 1) {
			t.Errorf("%d names: %v", n, s.Warnings)
		}
	}
}
