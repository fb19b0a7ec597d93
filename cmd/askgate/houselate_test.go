package main_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"testing"
)

// TestLateExpressionsCompile: an expression that is compiled when it is first used (tools.Late) is a
// constant, and compiles.
func TestLateExpressionsCompile(t *testing.T) {
	found := 0
	for _, f := range house(t) {
		ast.Inspect(f.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			of, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || of.Sel.Name != "Late" {
				return true
			}
			found++
			text, ok := literal(call.Args[0])
			if !ok {
				t.Errorf("%s: not a constant", houseSet.Position(call.Pos()))
			} else if _, err := regexp.Compile(text); err != nil {
				t.Errorf("%s: %v", houseSet.Position(call.Pos()), err)
			}
			return true
		})
	}
	if found < 30 {
		t.Errorf("only %d are found", found)
	}
}

// literal returns the value of a string, which may be a sum of strings.
func literal(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, ok := literal(e.X)
		right, also := literal(e.Y)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}
