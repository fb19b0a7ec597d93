package locales

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"text/template/parse"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// message is one text.
type message struct {
	general string            // for any count, or without one
	counted map[string]string // the other plural forms, by their names in the files; nil if there are none
}

// UnmarshalJSON reads a text, or an object of plural forms.
func (m *message) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &m.general)
	}
	if err := json.Unmarshal(data, &m.counted); err != nil {
		return err
	}
	m.general = m.counted["other"]
	delete(m.counted, "other")
	return nil
}

// forms are the names of the plural forms in the files, which are those of Unicode's CLDR.
var forms = map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many"}

// form returns the text for a count, or the general form if count is not a number of things.
func (m *message) form(tag language.Tag, count any) string {
	if v := reflect.ValueOf(count); v.CanInt() && v.Int() >= 0 && m.counted != nil {
		if text, ok := m.counted[forms[plural.Cardinal.MatchPlural(tag, int(v.Int()), 0, 0, 0, 0)]]; ok {
			return text
		}
	}
	return m.general
}

// render fills in the parameters of a text: {{.Name}}, {{if .Name}}, {{if eq .Name "value"}}, {{else}}
// and {{end}}, as text/template has them. It does not execute text/template itself, which finds
// methods by name: with it, the linker keeps every method of every type, a third of the program.
func render(text string, data map[string]any) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	trees, err := parse.Parse("text", text, "", "", map[string]any{"eq": holds})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = write(&out, trees["text"].Root, data)
	return out.String(), err
}

func write(out *strings.Builder, list *parse.ListNode, data map[string]any) error {
	if list == nil { // without {{else}}
		return nil
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.TextNode:
			out.Write(n.Text)
		case *parse.ActionNode:
			v, err := value(n.Pipe, data)
			if err != nil {
				return err
			}
			if v == nil {
				v = "<no value>"
			}
			fmt.Fprint(out, v)
		case *parse.IfNode:
			v, err := value(n.Pipe, data)
			if err != nil {
				return err
			}
			branch := n.List
			if !holds(v) {
				branch = n.ElseList
			}
			if err := write(out, branch, data); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s: only parameters and if are known", node)
		}
	}
	return nil
}

// value returns a parameter, or whether a parameter has a value.
func value(pipe *parse.PipeNode, data map[string]any) (any, error) {
	if len(pipe.Cmds) == 1 && len(pipe.Decl) == 0 {
		switch args := pipe.Cmds[0].Args; {
		case len(args) == 1:
			if field, ok := args[0].(*parse.FieldNode); ok && len(field.Ident) == 1 {
				return data[field.Ident[0]], nil
			}
		case len(args) == 3 && args[0].String() == "eq":
			field, isField := args[1].(*parse.FieldNode)
			want, isText := args[2].(*parse.StringNode)
			if isField && isText && len(field.Ident) == 1 {
				return fmt.Sprint(data[field.Ident[0]]) == want.Text, nil
			}
		}
	}
	return nil, fmt.Errorf(`%s: use {{.Name}}, or {{if eq .Name "value"}}`, pipe)
}

// holds reports whether {{if}} takes a value for true: it is neither zero nor empty.
func holds(v any) bool {
	of := reflect.ValueOf(v)
	switch {
	case v == nil:
		return false
	case of.Kind() == reflect.Slice, of.Kind() == reflect.Map:
		return of.Len() > 0
	default:
		return !of.IsZero()
	}
}
