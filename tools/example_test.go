package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/askgate/askgate/tools"
)

// stock is an example of a tool: it returns how many pieces of an article are in stock.
type stock map[string]int

func (stock) Definition() (description string, parameters json.RawMessage) {
	return "How many pieces of an article are in stock.", json.RawMessage(
		`{"type": "object", "properties": {"article": {"type": "string"}}, "required": ["article"]}`)
}

// Repeatable: the call may run again after a crash, since it changes nothing.
func (stock) Repeatable(tools.Call) bool { return true }

func (s stock) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	var arguments struct{ Article string }
	if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil {
		return tools.Outcome{}, err // it is logged; the model reads that the tool failed
	}
	n, ok := s[arguments.Article]
	if !ok { // the model reads this, and can fix its call
		return tools.Outcome{}, &tools.Error{Code: "NO_SUCH_ARTICLE", Message: "there is no article " + arguments.Article}
	}
	return tools.Outcome{Result: fmt.Sprintf(`{"pieces": %d}`, n)}, nil
}

func Example() {
	var tool tools.Tool = stock{"bolt": 120}
	for _, article := range []string{"bolt", "nut"} {
		out, err := tool.Run(context.Background(), tools.Call{ID: "call_1", Name: "stock", Arguments: fmt.Sprintf(`{"article": %q}`, article)})
		fmt.Println(out.Result, err)
	}
	// Output:
	// {"pieces": 120} <nil>
	//  NO_SUCH_ARTICLE: there is no article nut
}
