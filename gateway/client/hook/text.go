package hook

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/confusable"
)

// text is all of a tool's input for people to read, every character visible: of Edit and Write a
// diff, of Bash the command first, then name and value of all other arguments.
func (in *input) text() string {
	rest := maps.Clone(in.Input)
	take := func(name string) (string, bool) {
		var s string
		raw, there := rest[name]
		if !there || json.Unmarshal(raw, &s) != nil {
			return "", false
		}
		delete(rest, name)
		return s, true
	}
	var b strings.Builder
	switch in.Tool {
	case "Edit":
		path, isPath := take("file_path")
		before, isBefore := take("old_string")
		after, isAfter := take("new_string")
		if isPath && isBefore && isAfter {
			b.WriteString(path + "\n" + diff(before, after))
		} else {
			rest = maps.Clone(in.Input)
		}
	case "Write":
		path, isPath := take("file_path")
		content, isContent := take("content")
		if isPath && isContent {
			b.WriteString(path + "\n" + diff("", content))
		} else {
			rest = maps.Clone(in.Input)
		}
	default: // Bash, and the like of other agents; apply_patch of Codex has its patch there
		if command, ok := take("command"); ok {
			b.WriteString(command + "\n")
		}
	}
	if b.Len() > 0 && len(rest) > 0 {
		b.WriteString("\n")
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		b.WriteString(name + ":" + value(rest[name]) + "\n")
	}
	return strings.TrimRight(confusable.Visible(b.String()), "\n")
}

// value is an argument behind its name: a text as it is, on lines of its own where it has several;
// anything else as JSON.
func value(raw json.RawMessage) string {
	var text string
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		var b bytes.Buffer
		if json.Indent(&b, raw, "", "  ") != nil {
			return " " + string(raw)
		}
		text = b.String()
	}
	if strings.Contains(text, "\n") {
		return "\n  " + tools.Indented(text)
	}
	return " " + text
}

// diff is a change from one text to another, by lines: all of both is in it, what they begin and
// end with alike once.
func diff(before, after string) string {
	a, b := lines(before), lines(after)
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	same := 0
	for same < len(a)-from && same < len(b)-from && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	var out strings.Builder
	put := func(sign string, list []string) {
		for _, line := range list {
			out.WriteString(sign + line)
			if !strings.HasSuffix(line, "\n") {
				out.WriteString("\n\\ no line feed at the end\n")
			}
		}
	}
	put(" ", a[:from])
	put("-", a[from:len(a)-same])
	put("+", b[from:len(b)-same])
	put(" ", a[len(a)-same:])
	return out.String()
}

// lines are the lines of a text, each with its line feed.
func lines(s string) []string {
	list := strings.SplitAfter(s, "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// firstLine is the first line with something in it.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
