package main

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/sse"
)

// The client that posted reads nothing of a response that is far larger than the system's
// buffers. Another viewer still gets every event.
func TestClientThatReadsNothingHoldsNobodyUp(t *testing.T) {
	begin := make(chan struct{})
	text := strings.Repeat("x", 32<<10)
	response := modeltest.Response{{Text: "first"}}
	for range 100 {
		response = append(response, modeltest.Step{Text: text})
	}
	response = append(response, modeltest.Finish("stop"), modeltest.Done())
	model := modeltest.NewFunc(t, func(int, modeltest.Request) modeltest.Response {
		<-begin
		return response
	})
	p := start(t, model.URL, map[string]string{"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": []}`})
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	body := `{"message":"go"}`
	fmt.Fprintf(conn, "POST /v1/apps/helper/chats/c1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	waitFor(t, func() bool { return p.do("GET", "/v1/apps/helper/chats/c1", "").StatusCode == 200 })
	viewer := p.do("GET", "/v1/apps/helper/chats/c1/events", "")
	close(begin)
	chunks := 0
	for ev, err := range sse.Read(viewer.Body) {
		if err != nil {
			t.Fatal(err)
		}
		switch ev.Name {
		case "chunk":
			chunks++
		case "done":
			if chunks != 101 {
				t.Errorf("%d chunks", chunks)
			}
			return
		}
	}
	t.Error("the viewer's stream ended without a done")
}
