//go:build deploy

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/sse"
)

// Limits for requests that are sent while nodes are replaced.
const (
	ownChats = 50                     // led by our own client, at once
	bareWait = 200 * time.Millisecond // between two messages of a program that knows nothing
)

// bareMost: at most one in this many requests may be refused. One is on its way when a node is
// killed, and Caddy repeats none that a node has taken; before 2.11.2 also none that meets
// a dead node before the next question for /readyz.
var bareMost = map[string]int{"nginx": 100, "caddy": 50}

// Behind the proxies of deploy/, two nodes are restarted one after the other, and one is killed, while
// people chat. No request of our own client is refused, and it sees all of each run. Of a program that
// sends each message only once, no more requests are refused than bareMost allows.
func TestReplacingNodesRefusesNobody(t *testing.T) {
	for name, proxy := range proxies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := twoNodes(t)
			base := proxy(t, nodes[0].address, nodes[1].address)
			own := talk(t, base)
			bare := beginBare(t, base)
			bare.reaches(10)
			for _, n := range nodes {
				n.end(syscall.SIGTERM) // finds runs to end, and some that last too long
				bare.reaches(20)       // while it is away
				n.start()
				bare.reaches(30)
			}
			nodes[0].end(syscall.SIGKILL)
			bare.reaches(30)
			nodes[0].start()
			bare.reaches(10)
			sent, refused, cut := bare.end()
			told := own()
			t.Logf("%s: own client: %d messages, %d refused, %d broken streams; bare POST: %d, %d refused, %d streams ended without a done", name, told.Sent, len(told.Refused), len(told.Broken), sent, len(refused), cut)
			if len(told.Refused)+len(told.Broken) > 0 || told.Sent < ownChats {
				t.Errorf("our own client sent %d\nrefused: %s\nbroken: %s", told.Sent, strings.Join(told.Refused, "\n"), strings.Join(told.Broken, "\n"))
			}
			if len(refused) > sent/bareMost[name] {
				t.Errorf("%d of %d bare messages were refused:\n%s", len(refused), sent, strings.Join(refused, "\n"))
			}
		})
	}
}

// Messages that meet a dead node, one after the other, do not make the proxy take the other node for
// dead.
func TestDeadNodesShutNobodyOut(t *testing.T) {
	for name, proxy := range proxies {
		t.Run(name, func(t *testing.T) {
			var nodes [2]*httptest.Server
			for i := range nodes {
				nodes[i] = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
				t.Cleanup(nodes[i].Close)
			}
			base := proxy(t, nodes[0].Listener.Addr().String(), nodes[1].Listener.Addr().String())
			nodes[1].Close()
			got := map[string]int{}
			for range 20 {
				resp, err := http.Post(base+"/v1/apps/helper/chats/c1/messages", "application/json", strings.NewReader(`{"message":"go"}`))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				got[resp.Status]++
			}
			if got["503 Service Unavailable"] > 0 || got["200 OK"] == 0 {
				t.Errorf("with one living node: %v", got)
			}
		})
	}
}

// twoNodes starts two gateways with a PostgreSQL store for this test, and one Redis.
func twoNodes(t *testing.T) [2]*gatewayNode {
	t.Helper()
	model := httptest.NewServer(http.HandlerFunc(speakSlowly))
	t.Cleanup(model.Close)
	conf := home(t, map[string]string{
		"gateway.json":     `{"shutdownTimeout": "2s", "limits": {"requestsPerMinute": 0}}`,
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": [], "limits": {"requestsPerMinute": 0, "concurrentTurns": 0, "streams": 0}}`,
	})
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + conf, "ASKGATE_CONFIG=" + conf, "ASKGATE_LOG_LEVEL=warn",
		"OPENAI_BASE_URL=" + model.URL, "ASKGATE_MODEL=slow", "ASKGATE_REDIS=" + testenv.Redis(t), "ASKGATE_STORE=" + ownSchema(t),
	}
	var nodes [2]*gatewayNode
	for i := range nodes {
		nodes[i] = startNode(t, "", env...)
	}
	return nodes
}

// ownSchema returns the URL of an empty PostgreSQL store.
func ownSchema(t *testing.T) string {
	t.Helper()
	base := testenv.Postgres(t)
	name := "deploy_" + strings.TrimPrefix(chat.NewID("s"), "s_")[:16]
	execute := func(ctx context.Context, statement string) error {
		conn, err := pgx.Connect(ctx, base)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, statement)
		return err
	}
	if err := execute(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = execute(context.Background(), "DROP SCHEMA "+name+" CASCADE") })
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}

// speakSlowly starts a model server. Some of its answers end within shutdownTimeout, and
// some do not.
func speakSlowly(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	words := 8
	if time.Now().UnixNano()/1000%3 == 0 {
		words = 25
	}
	send := func(delta, finish any) {
		data, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
		fmt.Fprintf(w, "data: %s\n\n", data)
		w.(http.Flusher).Flush()
	}
	for i := range words {
		send(map[string]string{"content": fmt.Sprintf("word%d ", i)}, nil)
		select {
		case <-time.After(150 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
	}
	send(struct{}{}, "stop")
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// told is the final report of our own client.
type told struct {
	Sent            int
	Refused, Broken []string
}

// talk lets our own client chat until the returned function is called.
func talk(t *testing.T, base string) (end func() told) {
	t.Helper()
	files := map[string]string{"package.json": `{"type": "module"}`}
	sources, err := filepath.Glob("../../gateway/web/static/client/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range append(sources, "testdata/replace/talk.mjs") {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Base(from)
		if to != "talk.mjs" {
			to = "client/" + to
		}
		files[to] = string(data)
	}
	cmd := exec.Command(testenv.Node(t), filepath.Join(home(t, files), "talk.mjs"), base, fmt.Sprint(ownChats))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return func() (said told) {
		_ = input.Close()
		err := errors.Join(cmd.Wait(), json.Unmarshal(out.Bytes(), &said))
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, &out, &errs)
		}
		return said
	}
}

// bare sends messages at a steady pace, each once, to separate chats. It sends the next one when the one
// before has begun or was refused, so that one is on its way, no matter how slow the machine is.
type bare struct {
	t       *testing.T
	base    string
	stop    context.CancelFunc
	ticked  chan struct{}
	posts   sync.WaitGroup
	mu      sync.Mutex
	sent    int
	cut     int
	refused []string
}

func beginBare(t *testing.T, base string) *bare {
	ctx, cancel := context.WithCancel(t.Context())
	b := &bare{t: t, base: base, stop: cancel, ticked: make(chan struct{})}
	go func() {
		defer close(b.ticked)
		tick := time.NewTicker(bareWait)
		defer tick.Stop()
		for n := 0; ; n++ {
			begun := make(chan struct{})
			b.posts.Go(func() { b.post(n, sync.OnceFunc(func() { close(begun) })) })
			<-begun
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			select {
			case b.ticked <- struct{}{}:
			default:
			}
		}
	}()
	return b
}

// reaches waits until a number of further messages were sent.
func (b *bare) reaches(more int) {
	for range more {
		<-b.ticked
	}
}

func (b *bare) end() (sent int, refused []string, cut int) {
	b.stop()
	for range b.ticked {
	}
	b.posts.Wait()
	return b.sent, b.refused, b.cut
}

func (b *bare) post(n int, begun func()) {
	defer begun()
	refuse := func(why string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.refused = append(b.refused, fmt.Sprintf("%d: %s", n, why))
	}
	b.mu.Lock()
	b.sent++
	b.mu.Unlock()
	resp, err := http.Post(fmt.Sprintf("%s/v1/apps/helper/chats/bare%d/messages", b.base, n), "application/json", strings.NewReader(`{"message":"go"}`))
	if err != nil {
		refuse(err.Error())
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		refuse(resp.Status)
		return
	}
	names := map[string]int{}
	for ev := range sse.Read(resp.Body) { // a cut one has no done
		if names[ev.Name]++; ev.Name == "turn.start" {
			begun()
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case names["turn.start"] == 0:
		b.refused = append(b.refused, fmt.Sprintf("%d: nothing came", n))
	case names["done"] == 0:
		b.cut++
	}
}
