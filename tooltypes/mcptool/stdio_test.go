package mcptool_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// child is an MCP server on stdin and stdout.
func child() {
	fmt.Fprintln(os.Stderr, "begins with "+os.Getenv("CHILD_TOKEN"))
	server := newServer(map[string]mcp.ToolHandler{
		"environment": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text(strings.Join(os.Environ(), "\n")), nil
		},
		"parent": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			seen, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
			return text(fmt.Sprintf("read: %s %v", seen, err)), nil
		},
		"arguments": says(strings.Join(os.Args[1:], " ")),
		"pid":       says(fmt.Sprint(os.Getpid())),
		"crash": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			os.Exit(3)
			return nil, nil
		},
		"pictures": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return pictures(), nil },
		"count":    counting(50),
		"flood":    flood,
		"unsorted": asks(one(form("Well?", unsorted, "m"))),
		"ask": func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if a, _ := r.Params.InputResponses["q"].(*mcp.ElicitResult); a != nil {
				return text(fmt.Sprint(a.Action, a.Content)), nil
			}
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": form("Which?", `{"a":{"type":"string"}}`)}}, nil
		},
	})
	_ = server.Run(context.Background(), &mcp.StdioTransport{})
}

func stdio(t *testing.T) *bench {
	t.Setenv("SECRET_OF_THE_GATEWAY", "x")
	return use(t, mcptool.Options{
		Timeout: time.Minute, // a child starts slowly on a busy machine
		Command: os.Args[0], Args: []string{"-test.run=^$", "-x"}, Secrets: []string{"hunter2hunter2"},
		Env: map[string]string{"MCP_CHILD": "1", "CHILD_TOKEN": "hunter2hunter2"},
	})
}

func TestChildHasItsOwnEnvironment(t *testing.T) {
	b := stdio(t)
	out := b.call(t, tools.Call{Name: "s__environment"})
	if !strings.Contains(out.Result, "CHILD_TOKEN=[secret]") || strings.Contains(out.Result, "SECRET_OF_THE_GATEWAY") || !strings.Contains(out.Result, "PATH=") {
		t.Errorf("%+v", out)
	}
	if out := b.call(t, tools.Call{Name: "s__arguments"}); out.Result != "-test.run=^$ -x" {
		t.Errorf("%+v", out)
	}
	eventually(t, "its output is logged, without the secret", func() bool { return strings.Contains(b.log.String(), "begins with [secret]") })
	out = b.call(t, tools.Call{Name: "s__ask"})
	if out.Question == nil {
		t.Fatalf("%+v", out)
	}
	if out = b.answer(t, tools.Call{Name: "s__ask"}, out.Question, value(`"x"`)); out.Result != "acceptmap[a:x]" {
		t.Errorf("%+v", out)
	}
}

func TestChildThatCrashesIsStartedAgain(t *testing.T) {
	b := stdio(t)
	first := b.call(t, tools.Call{Name: "s__pid"}).Result
	if out := b.call(t, tools.Call{Name: "s__crash"}); out.Error == nil || out.Error.Code != tools.CodeToolFailed {
		t.Errorf("%+v", out)
	}
	var second string
	eventually(t, "another child answers", func() bool {
		second = b.call(t, tools.Call{Name: "s__pid"}).Result
		return second != "" && second != first
	})
	b.Close()
	b.pool.Wait(t.Context())
	if _, err := os.Stat("/proc/" + second); err == nil {
		t.Errorf("the child %s is left", second)
	}
}

func TestProgramThatIsNotThere(t *testing.T) {
	b := use(t, mcptool.Options{Command: "/nowhere/at-all"})
	if got := b.names(); got != "" {
		t.Errorf("offered %s", got)
	}
	eventually(t, "the log has the reason", func() bool { return strings.Contains(b.log.String(), "/nowhere/at-all") })
}
