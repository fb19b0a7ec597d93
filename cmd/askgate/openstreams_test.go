package main_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway/gatewaytest"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

// The stack of an open stream's goroutine keeps to 8 KiB, in the first turn of a chat and in later
// ones, which read the chat, and after a step with a tool (see package smallstack). net/http has a
// second goroutine for each request, with at most 4 KiB.
func TestTheStacksOfOpenStreamsAreSmall(t *testing.T) {
	const streams = 100
	model := modeltest.NewFunc(t, func(_ int, r modeltest.Request) modeltest.Response {
		switch last := r.Body.Messages[len(r.Body.Messages)-1]; {
		case last.Role == "tool", strings.Contains(string(last.Content), "hold"):
			return modeltest.Response{{Text: "first"}, {Text: "second"}, {Stall: true}}
		case strings.Contains(string(last.Content), "count"):
			return modeltest.Response{{Call: &modeltest.Fragment{ID: "c1", Name: "calculator", Arguments: `{"expression": "1+1"}`}}, modeltest.Finish("tool_calls"), modeltest.Done()}
		}
		return modeltest.Response{{Text: "well"}, modeltest.Finish("stop"), modeltest.Done()}
	})
	dir := t.TempDir()
	configtest.Files{
		"gateway.json":     `{"models": {"default": {"provider": "openai", "baseUrl": "` + model.URL + `", "model": "m"}}, "limits": {"requestsPerMinute": 0, "concurrentTurns": 0, "streams": 0}}`,
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["calculator"]}`,
	}.Write(t, dir)
	p, err := gatewaytest.Program{Env: []string{"ASKGATE_CONFIG=" + dir, "ASKGATE_LISTEN=127.0.0.1:0", "ASKGATE_STORE=sqlite:" + filepath.Join(dir, "store.db")}}.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	say := func(chat, message string) io.ReadCloser {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/v1/apps/helper/chats/"+chat+"/messages", strings.NewReader(`{"message": "`+message+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp, err, p.Log())
		}
		return resp.Body
	}
	hold := func(chat, message string) {
		lines := bufio.NewScanner(say(chat, message))
		for lines.Scan() {
			if strings.Contains(lines.Text(), "second") {
				return
			}
		}
		t.Fatal("the stream ended")
	}
	end := func(chat, message string) {
		body := say(chat, message)
		defer body.Close()
		if text, err := io.ReadAll(body); err != nil || !strings.Contains(string(text), "event: done") {
			t.Fatal(string(text), err)
		}
	}
	stacks := func() int {
		resp, err := http.Get(p.URL + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		m := regexp.MustCompile(`(?m)^go_memstats_stack_inuse_bytes (\S+)$`).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s", text)
		}
		n, _ := strconv.ParseFloat(string(m[1]), 64)
		return int(n)
	}
	hold("warm", "hold") // what the first stream needs, later ones find
	for name, open := range map[string]func(chat string){
		"first turn":   func(chat string) { hold(chat, "hold") },
		"second turn":  func(chat string) { end(chat, "hello"); hold(chat, "hold") },
		"after a tool": func(chat string) { hold(chat, "count") },
	} {
		before := stacks()
		for i := range streams {
			open(fmt.Sprintf("%s-%d", strings.ReplaceAll(name, " ", "-"), i))
		}
		if each := (stacks() - before) / streams; each > 16<<10 { // with stacks of 16 KiB it would be 18 to 20
			t.Errorf("%s: an open stream has %d bytes of stacks", name, each)
		} else {
			t.Logf("%s: %d bytes", name, each)
		}
	}
}
