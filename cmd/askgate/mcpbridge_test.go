package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A client of the SDK asks through askgate mcp, which it starts, in each version of the protocol. It
// gets its answer although the gateway is killed; the question is asked once.
func TestMCPOverStdin(t *testing.T) {
	n := startNode(t, os.Args[0], asProgram+"=1", "ASKGATE_STORE=sqlite:"+t.TempDir()+"/a.db")
	url := "http://" + n.address
	for _, version := range mcpVersions {
		t.Run(version, func(t *testing.T) {
			server := exec.Command(os.Args[0], "mcp", "--app", "assistant")
			server.Env, server.Stderr = []string{asProgram + "=1", "ASKGATE_URL=" + url}, os.Stderr
			session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(),
				&mcp.CommandTransport{Command: server}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			if got := session.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("%s", got)
			}
			list, err := session.ListTools(t.Context(), nil)
			if err != nil || !slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "get_answer" }) {
				t.Fatalf("%+v, %v", list, err)
			}
			type result struct {
				of  *mcp.CallToolResult
				err error
			}
			ended := make(chan result, 1)
			go func() {
				of, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask_user", Arguments: map[string]any{"question": "Which?", "options": []string{"a", "b"}}})
				ended <- result{of, err}
			}()
			id := waiting(t, url)
			n.end(syscall.SIGKILL)
			n.start()
			if again := answers(t, url, `{"value":"b"}`); again != id {
				t.Errorf("%s in place of %s", again, id)
			}
			got := <-ended
			if got.err != nil {
				t.Fatal(got.err)
			}
			var a struct {
				Status  string
				Answers map[string]any
			}
			if text := got.of.Content[0].(*mcp.TextContent).Text; json.Unmarshal([]byte(text), &a) != nil || a.Status != "answered" || a.Answers["q1"] != "b" {
				t.Errorf("%s", text)
			}
			if _, body := call(t, "GET", url+"/v1/clarifications", ""); !json.Valid([]byte(body)) || len(body) > 40 {
				t.Errorf("it was asked again: %s", body)
			}
			if err := session.Close(); err != nil { // the server ends with its stdin
				t.Error(err)
			}
		})
	}
}

// When the gateway stops, a waiting call gets an error that reports it. A call that is made while it is
// down gets the answer when it is back.
func TestMCPOverStdinWhileTheGatewayIsAway(t *testing.T) {
	n := startNode(t, os.Args[0], asProgram+"=1", "ASKGATE_STORE=sqlite:"+t.TempDir()+"/a.db")
	url := "http://" + n.address
	for _, version := range mcpVersions {
		server := exec.Command(os.Args[0], "mcp", "--app", "assistant")
		server.Env, server.Stderr = []string{asProgram + "=1", "ASKGATE_URL=" + url}, os.Stderr
		session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(),
			&mcp.CommandTransport{Command: server}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		c := mcpClient{session, t}
		asked, answered := make(chan mcpResult, 1), make(chan mcpResult, 1)
		go func() {
			asked <- c.asks("ask_user", map[string]any{"question": "Which?", "options": []string{"a", "b"}})
		}()
		id := waiting(t, url)
		n.end(syscall.SIGTERM)
		if a := <-asked; a.Status != "pending" || a.ClarificationID != id {
			t.Errorf("%s: %+v", version, a)
		}
		go func() { answered <- c.asks("get_answer", map[string]any{"clarificationId": id}) }()
		n.start()
		answers(t, url, `{"value":"b"}`)
		if a := <-answered; a.Status != "answered" || a.Answers["q1"] != "b" {
			t.Errorf("%s: %+v", version, a)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}
