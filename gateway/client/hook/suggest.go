package hook

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/confusable"
)

// suggestion is a change of its permissions that Claude Code suggests.
type suggestion struct {
	Type  string `json:"type"`
	Rules []struct {
		Tool    string `json:"toolName"`
		Content string `json:"ruleContent"`
	} `json:"rules"`
	Behavior    string   `json:"behavior"`
	Mode        string   `json:"mode"`
	Directories []string `json:"directories"`
	Destination string   `json:"destination"`
}

// places are where Claude Code keeps a change: for whom and how long, in short and whole.
var places = map[string][2]string{
	"session":         {"in this session", "Kept until this session ends."},
	"localSettings":   {"in this project", "Kept in .claude/settings.local.json: for you, in this project, until you remove it there."},
	"projectSettings": {"for all in this project", "Kept in .claude/settings.json: for everybody who works on this project, until it is removed there."},
	"userSettings":    {"in all projects", "Kept in ~/.claude/settings.json: for you, in all projects, until you remove it there."},
}

const (
	maxSuggestions = 5
	maxLabel       = 100 // code points of an option's label
)

// suggest makes a choice of a question whether to allow: yes, no, and what is suggested. A
// suggestion that is not known, or that cannot be told whole, is left out.
func (c *Call) suggest(q *client.Question) {
	var labels confusable.Set
	labels.Add("Yes")
	labels.Add("No")
	var options []client.Option
	c.choices = map[string]json.RawMessage{}
	for _, raw := range c.in.Suggestions {
		var s suggestion
		if len(options) == maxSuggestions || json.Unmarshal(raw, &s) != nil {
			continue
		}
		allows, place := s.allows(), places[s.Destination]
		label := fmt.Sprintf("Yes, and %s %s", allows, place[0])
		if allows == "" || place[0] == "" || confusable.Visible(label) != label || strings.ContainsAny(label, "\n\t") || utf8.RuneCountInString(label) > maxLabel {
			continue
		}
		if _, taken := labels.Add(label); taken {
			continue
		}
		value := "yes-" + strconv.Itoa(len(options)+1)
		c.choices[value] = raw
		options = append(options, client.Option{Label: label, Value: value, Description: place[1]})
	}
	if len(options) > 0 {
		q.InputType = tools.Select
		q.Options = append([]client.Option{{Label: "Yes", Value: "yes"}, {Label: "No", Value: "no"}}, options...)
	}
}

// allows says what a suggestion allows, "" where it is not known.
func (s *suggestion) allows() string {
	switch {
	case s.Type == "addRules" && s.Behavior == "allow" && len(s.Rules) > 0:
		var rules []string
		for _, r := range s.Rules {
			switch {
			case r.Tool == "":
				return ""
			case r.Content == "":
				rules = append(rules, "all of "+r.Tool)
			default:
				rules = append(rules, r.Tool+"("+r.Content+")")
			}
		}
		return "from now on " + strings.Join(rules, ", ")
	case s.Type == "setMode" && s.Mode == "acceptEdits":
		return "from now on all edits of files"
	case s.Type == "addDirectories" && len(s.Directories) > 0:
		return "the use of " + strings.Join(s.Directories, ", ")
	}
	return ""
}
