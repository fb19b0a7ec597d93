package passages

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Limits of front matter. The libraries take quadratic time for what is nested deeply, or has many
// members: without these limits, 64 KiB of [ took 38 s and 6 GiB.
const (
	MaxFront   = 64 << 10 // bytes
	MaxMembers = 1000     // also those within members
	maxDepth   = 20       // lists and objects within each other
	maxEmpty   = 1000     // lines
)

// front is the front matter of a text.
type front struct {
	toml bool
	text string
	body string // the text after it
}

// cutFront finds the front matter at the beginning of a text: between lines of ---, or +++ for
// TOML. ok is false if there is none, or if it does not end, which is then a fault: without its end,
// all of the text counts as text.
func cutFront(s string) (f front, ok bool, faults []Fault) {
	first, rest, _ := strings.Cut(s, "\n")
	mark := strings.TrimRight(first, " \t")
	if mark != "---" && mark != "+++" {
		return f, false, nil
	}
	f.toml = mark == "+++"
	for at := 0; at < len(rest); {
		l, _, _ := strings.Cut(rest[at:], "\n")
		next := min(at+len(l)+1, len(rest))
		if l = strings.TrimRight(l, " \t"); l == mark || l == "..." && !f.toml {
			f.text, f.body = rest[:at], rest[next:]
			return f, true, nil
		}
		at = next
	}
	return f, false, []Fault{{Line: 1, Read: true, Why: fmt.Sprintf("begins with %s like front matter, but no other such line ends it, so all of it is read as text; add the line, or remove the first", mark)}}
}

// members reads what front matter says.
func (f front) members() (said, []Fault) {
	if len(f.text) > MaxFront {
		return said{}, []Fault{{Line: 1, Read: true, Why: fmt.Sprintf("has front matter of more than %d KiB, which is ignored; shorten it", MaxFront>>10)}}
	}
	read := yamlMembers
	if f.toml {
		read = tomlMembers
	}
	members, err := read(f.text)
	if err == nil {
		return said{members: members}, nil
	}
	fault := Fault{Line: 1, Read: true, Why: err.Error() + "; until then, all front matter is ignored"}
	if at, ok := errors.AsType[*misfit](err); ok {
		fault.Line += at.line
	}
	return said{}, []Fault{fault}
}

// misfit is what is wrong with front matter, and in which of its lines; 0: unknown.
type misfit struct {
	line int
	why  string
}

func (e *misfit) Error() string { return e.why }

const (
	notYAML = `has front matter that is not YAML, or has a key twice; correct it (put a text in quotation marks if it contains ": " or begins with a sign)`
	keyless = `has front matter without keys; write each line as "key: value", or remove the lines that enclose it`
	notTOML = "has front matter that is not TOML; correct it"
	aliased = "has front matter with an anchor or alias; write the value itself (put a text in quotation marks if it begins with & or *)"
)

func tooMany(line int) error {
	return &misfit{line, fmt.Sprintf("has front matter of more than %d members; remove some", MaxMembers)}
}

func tooDeep(line int) error {
	return &misfit{line, fmt.Sprintf("has front matter that is nested more than %d deep; flatten it", maxDepth)}
}

// yamlMembers reads the members of a YAML object. Its scalars are texts as they are written: yes is
// no truth value, and 2015-01-01 no moment.
func yamlMembers(text string) (members map[string]value, err error) {
	defer func() {
		if recover() != nil { // the parser has had such defects, in texts that are not YAML
			members, err = nil, &misfit{0, notYAML}
		}
	}()
	if line := spaced(text); line > 0 {
		return nil, &misfit{line, fmt.Sprintf("has front matter of more than %d empty lines; remove some", maxEmpty)}
	}
	tokens := lexer.Tokenize(text)
	if err := bounded(tokens); err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0)
	if e, ok := errors.AsType[yaml.Error](err); ok {
		return nil, &misfit{lineOf(e.GetToken()), notYAML}
	}
	if err != nil || len(file.Docs) > 1 {
		return nil, &misfit{0, notYAML}
	}
	members = map[string]value{}
	if len(file.Docs) == 0 {
		return members, nil
	}
	switch body := file.Docs[0].Body.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
	case *ast.MappingNode:
		for _, m := range body.Values {
			members[m.Key.GetToken().Value] = yamlValue(m.Value, lineOf(m.Key.GetToken())+1)
		}
	default:
		return nil, &misfit{lineOf(body.GetToken()), keyless}
	}
	return members, nil
}

// spaced returns the line in which the empty lines become too many; 0: in none. For those in a text
// of several lines, the lexer takes quadratic time.
func spaced(text string) int {
	n, empty := 0, 0
	for l := range strings.SplitSeq(text, "\n") {
		n++
		if strings.TrimSpace(l) == "" {
			empty++
		}
		if empty > maxEmpty {
			return n
		}
	}
	return 0
}

// bounded checks the limits before the parser does its work.
func bounded(tokens token.Tokens) error {
	members, depth, entries, line := 0, 0, 0, 0
	for _, t := range tokens {
		if at := lineOf(t); at != line {
			line, entries = at, 0
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return &misfit{line, aliased}
		case token.DocumentHeaderType, token.DocumentEndType, token.DirectiveType:
			return &misfit{line, notYAML}
		case token.MappingValueType:
			members++
		case token.SequenceEntryType, token.MappingKeyType, token.TagType:
			entries++ // - - - is a list in a list in a list
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		}
		switch {
		case members > MaxMembers:
			return tooMany(line)
		case depth > maxDepth || entries > maxDepth:
			return tooDeep(line)
		}
	}
	return nil
}

func lineOf(t *token.Token) int {
	if t == nil || t.Position == nil {
		return 0
	}
	return t.Position.Line
}

func yamlValue(n ast.Node, line int) value {
	v := value{line: line, is: other}
	switch n := n.(type) {
	case *ast.TagNode: // !!str 5
		return yamlValue(n.Value, line)
	case *ast.NullNode:
		v.is = absent
	case *ast.StringNode:
		v = plainValue(n.Value, line)
		v.bare = n.Token.Type == token.StringType
	case *ast.LiteralNode:
		v = plainValue(n.Value.Value, line)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		v = plainValue(n.GetToken().Value, line)
		v.bare = true
	case *ast.SequenceNode:
		v.is = several
		for _, item := range n.Values {
			v.items = append(v.items, yamlValue(item, line))
		}
	}
	return v
}

// tomlMembers reads the members of a TOML table.
func tomlMembers(text string) (map[string]value, error) {
	lines, err := tomlLines([]byte(text))
	if err != nil {
		return nil, err
	}
	var table map[string]any
	if err := toml.Unmarshal([]byte(text), &table); err != nil {
		at := 0
		if e, ok := errors.AsType[*toml.DecodeError](err); ok {
			at, _ = e.Position()
		}
		return nil, &misfit{at, notTOML}
	}
	members := map[string]value{}
	for name, v := range table {
		members[name] = tomlValue(v, lines[name]+1)
	}
	return members, nil
}

// tomlLines returns the lines of members, and checks the limits.
func tomlLines(text []byte) (map[string]int, error) {
	var p unstable.Parser
	p.Reset(text)
	lines := map[string]int{}
	members, line := 0, 0
	var count func(n *unstable.Node, depth int) error
	count = func(n *unstable.Node, depth int) error {
		switch n.Kind {
		case unstable.Key:
			if members++; members > MaxMembers {
				return tooMany(line)
			}
		case unstable.Array, unstable.InlineTable:
			if depth++; depth > maxDepth {
				return tooDeep(line)
			}
		}
		for it := n.Children(); it.Next(); {
			if err := count(it.Node(), depth); err != nil {
				return err
			}
		}
		return nil
	}
	inTable := false
	for p.NextExpression() {
		e := p.Expression()
		inTable = inTable || e.Kind != unstable.KeyValue
		if key := e.Key(); key.Next() {
			line = p.Shape(key.Node().Raw).Start.Line
			if name := string(key.Node().Data); (!inTable || e.Kind != unstable.KeyValue) && lines[name] == 0 {
				lines[name] = line
			}
		}
		if err := count(e, 0); err != nil {
			return nil, err
		}
	}
	return lines, nil // Unmarshal reports the parser's error, with its line
}

func tomlValue(v any, line int) value {
	switch v := v.(type) {
	case string:
		return plainValue(v, line)
	case bool:
		return plainValue(fmt.Sprint(v), line)
	case int64:
		return numberValue(fmt.Sprint(v), line)
	case float64:
		return numberValue(fmt.Sprint(v), line)
	case time.Time:
		return plainValue(v.Format(time.RFC3339), line)
	case []any:
		list := value{line: line, is: several}
		for _, item := range v {
			list.items = append(list.items, tomlValue(item, line))
		}
		return list
	case fmt.Stringer: // a date or time without a zone
		return plainValue(v.String(), line)
	}
	return value{line: line, is: other}
}
