// Package calculator has a small built-in tool that evaluates + - * / % and parentheses over
// decimal numbers exactly (go/constant). It supports nothing else: no names, no calls.
package calculator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"strings"

	"github.com/askgate/askgate/tools"
)

// maxExpression is the maximum length in bytes. It also limits the work.
const maxExpression = 200

// Tool is the calculator. It has no state.
type Tool struct{}

var (
	_ tools.Tool      = Tool{}
	_ tools.Describer = Tool{}
)

// Definition implements tools.Describer.
func (Tool) Definition() (string, json.RawMessage) {
	return "Evaluate an arithmetic expression exactly: + - * / % and parentheses over decimal numbers.",
		json.RawMessage(`{"type":"object","properties":{"expression":{"type":"string","description":"e.g. (12.5 + 7) * 3","minLength":1,"maxLength":200}},"required":["expression"],"additionalProperties":false}`)
}

// Repeatable implements tools.Repeater. A call changes nothing.
func (Tool) Repeatable(tools.Call) bool { return true }

// Run implements tools.Tool.
func (Tool) Run(_ context.Context, call tools.Call) (tools.Outcome, error) {
	var arguments struct {
		Expression string `json:"expression"`
	}
	if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil {
		return refuse("arguments must be a JSON object with an expression")
	}
	if len(arguments.Expression) > maxExpression {
		return refuse("the expression has %d bytes; the limit is %d: split it", len(arguments.Expression), maxExpression)
	}
	if strings.ContainsFunc(arguments.Expression, func(r rune) bool { return !strings.ContainsRune("0123456789.+-*/%() \t", r) }) {
		return refuse("use only decimal numbers, + - * / %% and parentheses")
	}
	expr, err := parser.ParseExpr(strings.TrimSpace(arguments.Expression))
	if err != nil {
		return refuse("not an arithmetic expression")
	}
	value, err := evaluate(expr)
	if err != nil {
		return refuse("%s", err)
	}
	return tools.Outcome{Result: format(value)}, nil
}

func refuse(form string, args ...any) (tools.Outcome, error) {
	return tools.Outcome{}, &tools.Error{Code: tools.CodeInvalidArguments, Message: fmt.Sprintf(form, args...)}
}

func evaluate(e ast.Expr) (constant.Value, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		literal := strings.TrimLeft(e.Value, "0") // 010 means ten, not octal
		if literal == "" || literal[0] == '.' {
			literal = "0" + literal
		}
		if v := constant.MakeFromLiteral(literal, e.Kind, 0); v.Kind() == constant.Int || v.Kind() == constant.Float {
			return v, nil
		}
	case *ast.ParenExpr:
		return evaluate(e.X)
	case *ast.UnaryExpr:
		if x, err := evaluate(e.X); err != nil || e.Op == token.ADD || e.Op == token.SUB {
			if err != nil {
				return nil, err
			}
			return constant.UnaryOp(e.Op, x, 0), nil
		}
	case *ast.BinaryExpr:
		return binary(e)
	}
	return nil, errors.New("not an arithmetic expression")
}

func binary(e *ast.BinaryExpr) (constant.Value, error) {
	x, err := evaluate(e.X)
	if err != nil {
		return nil, err
	}
	y, err := evaluate(e.Y)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case token.ADD, token.SUB, token.MUL:
		return constant.BinaryOp(x, e.Op, y), nil
	case token.QUO, token.REM:
		if constant.Sign(y) == 0 {
			return nil, errors.New("division by zero")
		}
		if e.Op == token.QUO {
			return constant.BinaryOp(x, token.QUO, y), nil // exact, even for whole numbers
		}
		if x, y := constant.ToInt(x), constant.ToInt(y); x.Kind() == constant.Int && y.Kind() == constant.Int {
			return constant.BinaryOp(x, token.REM, y), nil
		}
		return nil, errors.New("% needs whole numbers")
	}
	return nil, errors.New("not an arithmetic expression")
}

// format formats whole numbers in full and others with up to 15 digits.
func format(v constant.Value) string {
	if i := constant.ToInt(v); i.Kind() == constant.Int {
		return i.ExactString()
	}
	f, _ := constant.Float64Val(v)
	return fmt.Sprintf("%.15g", f)
}
