package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	asktools "github.com/askgate/askgate/tools"
)

// refunds returns files with a tool that has this needsApproval, and an app that lists it.
func refunds(approval string) tree {
	return tree{
		"tools.json": `[{"id": "refund", "type": "client", "parameters": {"properties": {"amount": {"type": "number"}, "to": {"type": "string"}, "lines": {"type": "array"}}},
			"needsApproval": ` + approval + `}]`,
		"apps/a.json": `{"id": "a", "tools": ["refund"]}`, "gateway.json": keysOf("finance", "t/ann", "t/bob", "t/cyd"),
	}
}

// served is like refunds, for a server's tools.
func served(approval string) tree {
	files := refunds("true")
	files["tools.json"] = `[{"id": "refund", "type": "mcp", "needsApproval": ` + approval + `}]`
	return files
}

// steps returns an escalation after these times to these roles. A mark before a time is put before the text.
func steps(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		after, marked := strings.CutPrefix(pairs[i], "¶")
		mark := map[bool]string{true: "¶"}[marked]
		list = append(list, `{"after": `+mark+`"`+after+`", "to": {"role": `+pairs[i+1]+`}}`)
	}
	return `, "escalate": [` + strings.Join(list, ", ") + `]`
}

// rule returns needsApproval with one rule.
func rule(when, more string) string {
	return `{"rules": [{"when": ` + when + `, ` + more + `}]}`
}

// keysOf returns a gateway.json whose API keys give a role to these people, each as tenant/subject.
func keysOf(role string, people ...string) string {
	var keys []string
	for i, who := range people {
		tenant, subject, _ := strings.Cut(who, "/")
		keys = append(keys, fmt.Sprintf(`{"id": "k%d", "hash": "sha256:%064d", "tenant": %q, "subject": %q, "roles": [%q]}`, i, i, tenant, subject, role))
	}
	return `{"auth": {"mode": "apiKeys", "keys": [` + strings.Join(keys, ", ") + `]}}`
}

const (
	small   = `{"properties": {"amount": {"type": "number", "maximum": 50}}, "required": ["amount"]}`
	finance = `"by": {"role": "finance"}`
)

// Every form of needsApproval is read.
func TestNeedsApproval(t *testing.T) {
	ask := config.Rule{Then: "ask"}
	of := func(role string, quorum int) config.Rule {
		return config.Rule{Then: "ask", Role: role, Quorum: quorum}
	}
	when := func(r config.Rule, schema string) config.Rule {
		r.When = json.RawMessage(strings.ReplaceAll(schema, " ", ""))
		return r
	}
	for written, want := range map[string]*config.Approval{
		`false`:                             nil,
		`true`:                              {Otherwise: ask},
		`{"otherwise": "ask"}`:              {Otherwise: ask},
		`{"otherwise": "allow"}`:            {Otherwise: config.Rule{Then: "allow"}},
		`{` + finance + `}`:                 {Otherwise: of("finance", 0)},
		`{` + finance + `, "quorum": 2}`:    {Otherwise: of("finance", 2)},
		`{"rules": [], "otherwise": "ask"}`: {Otherwise: ask},
		// By and quorum next to the rules hold for those that ask and have none of their own.
		`{"rules": [{"when": ` + small + `, "then": "allow"}, {"when": ` + small + `, "then": "ask"}, {"when": ` + small + `, "then": "ask", "by": {"role": "cfo"}},
			{"when": ` + small + `, "then": "ask", "quorum": 3}, {"when": ` + small + `, "then": "deny"}], "otherwise": "deny", ` + finance + `, "quorum": 2}`: {
			Rules: []config.Rule{
				when(config.Rule{Then: "allow"}, small), when(of("finance", 2), small), when(of("cfo", 2), small),
				when(of("finance", 3), small), when(config.Rule{Then: "deny"}, small),
			},
			Otherwise: config.Rule{Then: "deny", Role: "finance", Quorum: 2},
		},
	} {
		s := mustLoad(t, refunds(written), nil)
		tool, _ := s.Tool("a", "refund")
		if !reflect.DeepEqual(tool.Approval, want) {
			t.Errorf("%s:\nread %+v\nwant %+v", written, tool.Approval, want)
		}
	}
	// So does escalate; an empty one is that of no one else.
	later := func(role string, quorum int, steps ...asktools.Escalation) config.Rule {
		r := of(role, quorum)
		r.Escalate = steps
		return r
	}
	lead, board := asktools.Escalation{After: time.Hour, Role: "lead"}, asktools.Escalation{After: 48 * time.Hour, Role: "board"}
	const escalate = `, "escalate": [{"after": "1h", "to": {"role": "lead"}}, {"after": "2d", "to": {"role": "board"}}]`
	for written, want := range map[string]*config.Approval{
		`{` + finance + escalate + `}`: {Otherwise: later("finance", 0, lead, board)},
		`{"rules": [{"when": ` + small + `, "then": "ask"}, {"when": ` + small + `, "then": "ask", "by": {"role": "cfo"}, "quorum": 2}, {"when": ` + small + `, "then": "ask", "by": {"role": "lead"}, "escalate": []},
			{"when": ` + small + `, "then": "ask", "escalate": [{"after": "2d", "to": {"role": "board"}}]}, {"when": ` + small + `, "then": "deny"}], ` + finance + escalate + `}`: {
			Rules: []config.Rule{
				when(later("finance", 0, lead, board), small), when(later("cfo", 2, lead, board), small), when(later("lead", 0), small),
				when(later("finance", 0, board), small), when(config.Rule{Then: "deny"}, small),
			},
			Otherwise: later("finance", 0, lead, board),
		},
	} {
		s := mustLoad(t, refunds(written), nil)
		tool, _ := s.Tool("a", "refund")
		if !reflect.DeepEqual(tool.Approval, want) {
			t.Errorf("%s:\nread %+v\nwant %+v", written, tool.Approval, want)
		}
	}
	s := mustLoad(t, refunds(`{"rules": [{"when": {"description": {"de": "klein", "en": "small"}, `+small[1:]+`, "then": "deny", "reason": {"en": "$HOME", "de": "Nein."}}]}`), nil)
	tool, _ := s.Tool("a", "refund")
	r := tool.Approval.Rules[0]
	if r.Reason.In("de") != "Nein." || r.Reason.In("en") != "$HOME" || !strings.HasPrefix(string(r.When), `{"description":"small"`) {
		t.Errorf("%+v: %s", r.Reason, r.When)
	}
}

// The tools of a server have approvals by the server's own names.
func TestApprovalsOfAServersTools(t *testing.T) {
	s := mustLoad(t, served(`{"tools": {"pay.out": {"rules": [{"when": `+small+`, "then": "allow"}]}, "list": false, "drop": {"otherwise": "deny"}, "book": {`+finance+`}}}`), nil)
	tool, _ := s.Tool("a", "refund")
	for id, want := range map[string]string{
		"refund__pay_out": "ask allow", "refund__pay": "ask", "refund__list": "", "refund__drop": "deny", "refund__book": "ask finance", "refund": "whole",
	} {
		var got []string
		switch a := tool.ApprovalOf(id); {
		case a == tool.Approval:
			got = []string{"whole"}
		case a != nil:
			got = strings.Fields(a.Otherwise.Then + " " + a.Otherwise.Role)
			for _, rule := range a.Rules {
				got = append(got, rule.Then)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", id, got)
		}
	}
	if !tool.Approval.MayAsk() || !tool.Approval.MayAllow() {
		t.Error("some tools ask, and some do not")
	}
	for written, want := range map[string][2]bool{ // may ask, may allow
		`{"tools": {"list": false, "*": false}}`: {false, true}, `{"tools": {"*": true}}`: {true, false}, `{"tools": {"drop": {"otherwise": "deny"}}}`: {true, false},
	} {
		s := mustLoad(t, served(written), nil)
		tool, _ := s.Tool("a", "refund")
		if got := [2]bool{tool.Approval.MayAsk(), tool.Approval.MayAllow()}; got != want {
			t.Errorf("%s: %v", written, got)
		}
	}
}

// An app's own entry replaces needsApproval whole.
func TestApprovalsAreReplacedWhole(t *testing.T) {
	files := refunds(`{"rules": [{"when": ` + small + `, "then": "allow"}], ` + finance + `}`)
	files["apps/a/tools.json"], files["apps/a/app.json"] = `[{"id": "refund", "needsApproval": {"otherwise": "ask"}}]`, `{"id": "a", "tools": ["refund"]}`
	delete(files, "apps/a.json")
	s := mustLoad(t, files, nil)
	own, _ := s.Tool("a", "refund")
	shared, _ := s.Tool("", "refund")
	if len(own.Approval.Rules) != 0 || own.Approval.Otherwise.Role != "" || len(shared.Approval.Rules) != 1 {
		t.Errorf("%+v %+v", own.Approval, shared.Approval)
	}
	files["apps/a/tools.json"] = `[{"id": "refund", "parameters": ¶{"properties": {"sum": {}}}}]`
	warned(t, files, `these parameters do not declare "amount", which rule 0`)
	mcp := served(`{"tools": {"*": true}}`)
	mcp["apps/a/tools.json"], mcp["apps/a/app.json"] = `[{"id": "refund", "type": ¶"client"}]`, `{"id": "a"}`
	delete(mcp, "apps/a.json")
	configtest.Faulty(t, mcp, nil, fakeTypes, `requires an entry that stands for several tools`)
}

func TestFaultsOfNeedsApproval(t *testing.T) {
	many := strings.Repeat(`{"when": `+small+`, "then": "ask"}, `, 50)
	for name, c := range map[string]struct {
		files tree
		want  []string
	}{
		"nothing":              {refunds(`¶{}`), []string{`{"by": {"role": "..."}}`, `{"rules": [...]}`, "true"}},
		"no when":              {refunds(`{"rules": [¶{"then": "allow"}]}`), []string{`"when" is missing`, `"otherwise"`}},
		"no then":              {refunds(`{"rules": [¶{"when": ` + small + `}]}`), []string{`"then" is missing`}},
		"then":                 {refunds(rule(small, `"then": ¶"alow"`)), []string{`unknown decision "alow"`, `did you mean "allow"?`}},
		"otherwise":            {refunds(`{"otherwise": ¶"refuse"}`), []string{"known: allow, ask, deny"}},
		"unknown key":          {refunds(rule(small, `"then": "ask", ¶"reasons": "x"`)), []string{`did you mean "reason"?`}},
		"by of an allow":       {refunds(rule(small, `"then": "allow", "by": ¶{"role": "finance"}`)), []string{`"by" requires "then": "ask"`}},
		"quorum of a deny":     {refunds(rule(small, `"then": "deny", "quorum": ¶2`)), []string{`"quorum" requires "then": "ask"`}},
		"quorum of one":        {refunds(`{` + finance + `, "quorum": ¶1}`), []string{"from 2 to 5"}},
		"quorum of six":        {refunds(rule(small, `"then": "ask", `+finance+`, "quorum": ¶6`)), []string{"from 2 to 5"}},
		"quorum of users":      {refunds(`{"quorum": ¶2}`), []string{`"quorum" requires "by"`}},
		"escalate to by":       {refunds(`{` + finance + steps(`1h`, `¶"finance"`) + `}`), []string{`decide from the beginning`}},
		"escalate twice":       {refunds(`{` + finance + steps(`1h`, `"lead"`, `2h`, `¶"lead"`) + `}`), []string{"since an earlier step"}},
		"escalate back":        {refunds(`{` + finance + steps(`2h`, `"lead"`, `¶2h`, `"board"`) + `}`), []string{"longer than the one before, 2h"}},
		"escalate at once":     {refunds(`{` + finance + steps(`¶0s`, `"lead"`) + `}`), []string{"1s to 365d"}},
		"escalate too late":    {refunds(`{` + finance + steps(`¶366d`, `"lead"`) + `}`), []string{"1s to 365d"}},
		"escalate to no one":   {refunds(`{` + finance + `, "escalate": [¶{"after": "1h"}]}`), []string{`"to" is missing`}},
		"escalate never":       {refunds(`{` + finance + `, "escalate": [¶{"to": {"role": "lead"}}]}`), []string{`"after" is missing`}},
		"escalate of users":    {refunds(`{"escalate": ¶[{"after": "1h", "to": {"role": "lead"}}]}`), []string{`"escalate" requires "by"`}},
		"escalate of a rule":   {refunds(rule(small, `"then": "ask", "escalate": ¶[{"after": "1h", "to": {"role": "lead"}}]`)), []string{`"escalate" requires "by"`}},
		"escalate of a deny":   {refunds(rule(small, `"then": "deny", "escalate": ¶[]`)), []string{`"escalate" requires "then": "ask"`}},
		"escalate of others":   {refunds(`{"rules": [{"when": ` + small + `, "then": "ask", "by": {"role": ¶"lead"}}], ` + finance + steps(`1h`, `"lead"`) + `}`), []string{`write "escalate" for this rule, too`}},
		"escalate often":       {refunds(`{` + finance + strings.Replace(steps(`1h`, `"a"`, `2h`, `"b"`, `3h`, `"c"`, `4h`, `"d"`, `5h`, `"e"`, `6h`, `"f"`), `{"after": "6h"`, `¶{"after": "6h"`, 1) + `}`), []string{"the limit is 5"}},
		"escalate of a server": {served(`{"tools": {"*": true}, "escalate": ¶[]}`), []string{`"escalate" does not go with "tools"`}},
		"quorum of users, too": {refunds(rule(small, `"then": "ask", "quorum": ¶2`)), []string{`"quorum" requires "by"`}},
		"by no one":            {refunds(rule(small, `"then": "ask", "by": ¶{}`)), []string{`{"role": "..."}`}},
		"51 rules":             {refunds(`{"rules": [` + many + `¶{"when": ` + small + `, "then": "ask"}]}`), []string{"the limit is 50"}},
		"rules as object":      {refunds(`{"rules": ¶{}}`), []string{"want a list"}},
		"reason":               {refunds(rule(small, `"then": "deny", "reason": ¶"`+strings.Repeat("x", 501)+`"`)), []string{"limit 500"}},
		"when is true":         {refunds(rule(`¶true`, `"then": "ask"`)), []string{"JSON Schema"}},
		"when of a list":       {refunds(rule(`{"type": ¶"array"}`, `"then": "ask"`)), []string{"always an object"}},
		"when elsewhere":       {refunds(rule(`¶{"$ref": "https://example.org/x"}`, `"then": "ask"`)), []string{"never fetched"}},
		"when no schema":       {refunds(rule(`{"properties": {"amount": {"maximum": ¶"x"}}}`, `"then": "ask"`)), []string{"invalid JSON Schema"}},
		"when expands":         {refunds(rule(`¶{"$ref": "#/$defs/a", "$defs": {`+doubling("abcdefghijklmnopq")+`"q": {"type": "string"}}}`, `"then": "ask"`)), []string{"over 20000 schemas"}},
		"when looks ahead":     {refunds(rule(`{"properties": {"to": {"pattern": ¶"(?=a)"}}}`, `"then": "ask"`)), []string{"lookahead"}},
		"when of patterns":     {refunds(rule(`¶{"properties": {"to": {"pattern": "`+strings.Repeat("a", 5000)+`"}}}`, `"then": "ask"`)), []string{"patterns of the schema are too large"}},
		"tools of one":         {refunds(`{"tools": ¶{"list": false}}`), []string{`"mcp"`, `not "client"`}},
		"tools of none":        {served(`{"tools": ¶{}}`), []string{"names no tool"}},
		"tools of tools":       {served(`{"tools": {"a": {¶"tools": {"b": true}, "otherwise": "ask"}}}`), []string{`unknown key "tools"`}},
		"tools and rules":      {served(`{"tools": {"a": true}, "rules": ¶[], "otherwise": ¶"ask"}`), []string{`does not go with "tools"`}},
		"tools in one":         {served(`{"tools": {"a.b": true, ¶"a_b": false}}`), []string{`"a.b" are both offered as "refund__a_b"`}},
		"a tool's rule":        {served(`{"tools": {"a": ` + rule(small, `"then": ¶"x"`) + `}}`), []string{"known: allow, ask, deny"}},
		"129 tools":            {served(`{"tools": {` + numbered(128) + `, ¶"x": true}}`), []string{"the limit is 128"}},
		"respond to nothing":   {tools(`{"id": "clock", "respond": ¶true}`), []string{`"respond" requires "needsApproval"`}},
		"respond how":          {tools(`{"id": "clock", "needsApproval": true, "respond": ¶"text"}`), []string{"true or false"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range configtest.Faulty(t, c.files, nil, fakeTypes, c.want...) {
				if f.Key == "" {
					t.Errorf("no key: %v", f)
				}
			}
		})
	}
}

func numbered(n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf(`"t%d": true`, i))
	}
	return strings.Join(names, ", ")
}

func TestWarningsOfNeedsApproval(t *testing.T) {
	rules := func(list string) string { return `{"rules": [` + list + `]}` }
	few := func(people ...string) func(tree) tree {
		return func(files tree) tree {
			files["gateway.json"] = keysOf("finance", people...)
			return files
		}
	}
	const deny = `{"when": ` + small + `, "then": "deny"}`
	for name, c := range map[string]struct {
		files tree
		want  []string
	}{
		"undeclared":         {refunds(rule(`{"properties": {¶"sum": {"type": "number"}}, "required": ["sum"]}`, `"then": "allow"`)), []string{`"parameters" do not declare "sum"`}},
		"undeclared, within": {refunds(rule(`{"anyOf": [{"properties": {¶"sum": {"const": 1}}, "required": ["sum"]}, `+small+`]}`, `"then": "allow"`)), []string{`"sum"`}},
		"behind all":         {refunds(rules(`{"when": ¶{"type": "object", "description": "all"}, "then": "ask"}, ¶` + deny + `, ¶` + deny)), nil},
		"behind one":         {refunds(rules(deny + ", " + deny)), nil},
		"role of a rule":     {refunds(rule(small, `"then": "ask", "by": {"role": ¶"finanz"}`)), []string{`no API key has the role "finanz"; did you mean "finance"?`}},
		"role of a tool":     {served(`{"tools": {"a": {"by": {"role": ¶"finanz"}}, "b": ` + rule(small, `"then": "ask", "by": {"role": ¶"finanz"}`) + `}}`), []string{`did you mean "finance"?`}},
		"too few":            {few("t/ann", "t/ann", "u/bob", "u/cyd")(refunds(`{` + finance + `, "quorum": ¶2}`)), []string{`"t"`, "to 1 of the 2 people", `lower "quorum"`}},
		"enough":             {few("t/ann", "t/bob")(refunds(`{` + finance + `, "quorum": 2}`)), nil},
		"too few for a rule": {few("t/ann", "t/bob")(refunds(`{"rules": [{"when": ` + small + `, "then": "ask", "quorum": ¶3}], ` + finance + `}`)), []string{"to 2 of the 3 people"}},
		"role of a step":     {refunds(`{` + finance + steps(`1h`, `¶"finanz"`) + `}`), []string{`no API key has the role "finanz"; did you mean "finance"?`}},
		"too few of its own": {refunds(`{"rules": [{"when": ` + small + `, "then": "ask", "by": {"role": ¶"cfo"}}], ` + finance + `, "quorum": 2}`), []string{`no API key has the role "cfo"`}},
	} {
		t.Run(name, func(t *testing.T) { warned(t, c.files, c.want...) })
	}
	// A step that no question of the app lives to see.
	brief := func(more string) tree {
		files := few("t/ann")(refunds(`{` + finance + more + `}`))
		files["gateway.json"] = strings.Replace(files["gateway.json"], `"finance"`, `"finance", "lead"`, 1)
		files["apps/a.json"] = `{"id": "a", "tools": [¶"refund"], "clarifications": {"expiresIn": "2h"}}`
		return files
	}
	warned(t, brief(steps(`2h`, `"lead"`)), `expire after 2h`, `asks the role "lead" after 2h`)
	within := brief(steps(`1h`, `"lead"`))
	within["apps/a.json"] = strings.Replace(within["apps/a.json"], "¶", "", 1)
	warned(t, within)
	// One key that may act for others can be any number of people.
	files := few("t/ann")(refunds(`{` + finance + `, "quorum": 2}`))
	files["gateway.json"] = strings.Replace(files["gateway.json"], `"roles"`, `"mayActAs": true, "roles"`, 1)
	warned(t, files)
}

// A tool is never offered where no one answers only if nothing can allow its calls.
func TestNotInteractive(t *testing.T) {
	for written, offered := range map[string]bool{
		`true`: false, `{` + finance + `}`: false, `{"otherwise": "deny"}`: false, rule(small, `"then": "ask"`): false,
		rule(small, `"then": "allow"`): true, `{"otherwise": "allow"}`: true,
	} {
		files := refunds(written)
		files["tools.json"] = strings.Replace(files["tools.json"], `"client"`, `"http", "http": {"url": "http://h"}`, 1)
		files["apps/a.json"] = `{"id": "a", "interactive": false, "tools": ["refund"]}`
		if s := mustLoad(t, files, nil); strings.Contains(warningsOf(s), "never offered") == offered {
			t.Errorf("%s: %v", written, s.Warnings)
		}
	}
	files := served(`{"tools": {"list": false, "*": true}}`)
	files["apps/a.json"] = `{"id": "a", "interactive": false, "tools": ["refund__list", ¶"refund__drop"]}`
	warned(t, files, "never offered")
	files["apps/a.json"] = `{"id": "a", "interactive": false, "tools": ["refund"]}`
	warned(t, files)
}

// A tool whose calls may be asked about, or denied, lists no options.
func TestOptionsOfAToolWithRules(t *testing.T) {
	for written, may := range map[string]bool{`{"otherwise": "allow"}`: true, `true`: false, `{"otherwise": "deny"}`: false, rule(small, `"then": "allow"`): false} {
		_, err := load(t, tools(`{"id": "l", "type": "http", "http": {"url": "http://h"}, "needsApproval": `+written+`},
			{"id": "ask_user", "templates": {"t": {"question": "Which?", "optionsFrom": {"tool": "l", "label": ""}}}}`), nil)
		if (err == nil) != may {
			t.Errorf("%s: %v", written, err)
		}
	}
}

// For any JSON under needsApproval, Load does not panic, each fault has a place, and each approval that
// is accepted decides about every call.
func FuzzNeedsApproval(f *testing.F) {
	for _, seed := range []string{
		`true`, `null`, `[]`, `{}`, `{"by": {"role": "finance"}, "quorum": 2}`, `{"by": {"role": "finance"}, "escalate": [{"after": "1h", "to": {"role": "lead"}}, {}, 1]}`, `{"rules": [{}], "otherwise": 1}`, `{"tools": {"a": {"rules": []}, "*": false, "": null}}`,
		rule(small, `"then": "allow", "reason": {"en": "x"}`), rule(`{"anyOf": [true, {"items": {"$ref": "#"}}, {"properties": {"a": false}}], "required": [1]}`, `"then": "allow"`),
		rule(`{"type": ["object"], "enum": [], "properties": [], "pattern": "a|^b$", "minItems": "x"}`, `"then": "deny", "by": 1, "quorum": 1e400`),
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, approval []byte, family bool) {
		files := refunds(string(approval))
		if family {
			files = served(string(approval))
		}
		s, _, err := config.LoadFrom(config.Options{Dir: "dir", Env: env{}.Lookup, Tools: fakeTypes}, fstest.MapFS{"tools.json": {Data: []byte(files["tools.json"])}})
		var faults config.Faults
		if err != nil && !errors.As(err, &faults) {
			t.Fatalf("no Faults: %v", err)
		}
		for _, fault := range faults {
			if fault.Line == 0 || fault.Col == 0 || fault.Message == "" || !utf8.ValidString(fault.Message) {
				t.Errorf("fault without place or message: %#v", fault)
			}
		}
		if err != nil {
			return
		}
		tool, ok := s.Tool("", "refund")
		if !ok {
			return
		}
		for _, id := range []string{"refund", "refund__a", "refund__"} {
			a := tool.ApprovalOf(id)
			if a == nil || a.Tools != nil {
				continue
			}
			for _, rule := range append(a.Rules, a.Otherwise) {
				if rule.Then == "" || rule.Quorum != 0 && rule.Role == "" || rule.When != nil && !json.Valid(rule.When) {
					t.Errorf("%s: %+v", id, rule)
				}
			}
		}
	})
}
