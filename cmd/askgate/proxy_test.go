//go:build deploy

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/doctor"
	"github.com/askgate/askgate/gateway/gatewaytest"
	"github.com/askgate/askgate/gateway/sse"
)

// program is a program that the tests with the tag deploy need; .ci/run installs it.
func program(t *testing.T, name string) string {
	t.Helper()
	for _, at := range []string{name, filepath.Join("/usr/sbin", name)} { // which is not in everybody's PATH
		if path, err := exec.LookPath(at); err == nil {
			return path
		}
	}
	t.Fatalf("%s is missing; .ci/run deploy installs it", name)
	return ""
}

// unprivileged is the user id for the programs if the tests run as root.
const unprivileged = 65534

// launch runs a program without privileges, in its own directory, until the test ends.
func launch(t *testing.T, dir, name string, args ...string) *gatewaytest.Log {
	t.Helper()
	cmd := exec.Command(program(t, name), args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	out := new(gatewaytest.Log)
	cmd.Stdout, cmd.Stderr = out, out
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s: %s", name, out)
		}
	})
	return out
}

// home creates a directory with files for launch.
func home(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "askgate-deploy") //nolint:usetesting // t.TempDir is below a directory that is root's alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 {
		if err := os.Chown(dir, unprivileged, unprivileged); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shipped returns a file of deploy/ with some words replaced, each of which must appear
// exactly once.
func shipped(t *testing.T, name string, replace ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i < len(replace); i += 2 {
		if n := strings.Count(text, replace[i]); n != 1 {
			t.Fatalf("%s has %q %d times", name, replace[i], n)
		}
		text = strings.Replace(text, replace[i], replace[i+1], 1)
	}
	return text
}

// startNginx starts nginx with a configuration for http { }.
func startNginx(t *testing.T, address, conf string) {
	t.Helper()
	dir := home(t, map[string]string{"askgate.conf": conf})
	main := `daemon off; worker_processes 1; error_log stderr; pid nginx.pid;
events { worker_connections 256; }
http {
	access_log off;
	client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
	include askgate.conf;
}`
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(main), 0o644); err != nil {
		t.Fatal(err)
	}
	launch(t, dir, "nginx", "-p", dir, "-e", "stderr", "-c", filepath.Join(dir, "nginx.conf"))
	up(t, address)
}

// up waits until an address answers.
func up(t *testing.T, address string) {
	t.Helper()
	waitFor(t, func() bool { return get(t.Context(), "http://"+address+"/healthz") != 0 })
}

// proxies start the proxies of deploy/ in front of upstreams, and return their addresses.
var proxies = map[string]func(t *testing.T, upstreams ...string) string{
	"nginx": func(t *testing.T, upstreams ...string) string {
		address := freePort(t)
		startNginx(t, address, shipped(t, "nginx.conf", nginxNode, nginxNodes(upstreams...), "listen 80;", "listen "+address+";"))
		return "http://" + address
	},
	"caddy": func(t *testing.T, upstreams ...string) string {
		address := freePort(t)
		dir := home(t, map[string]string{"Caddyfile": "{\n\tadmin off\n\tauto_https off\n}\n" +
			shipped(t, "Caddyfile", "\n:80 {", "\nhttp://"+address+" {", "127.0.0.1:8080", strings.Join(upstreams, " "))})
		launch(t, dir, "caddy", "run", "--config", filepath.Join(dir, "Caddyfile"), "--adapter", "caddyfile")
		up(t, address)
		return "http://" + address
	},
}

// nginxNode is the line of nginx.conf for a node.
const nginxNode = "server 127.0.0.1:8080 max_fails=0;"

func nginxNodes(upstreams ...string) string {
	lines := ""
	for _, upstream := range upstreams {
		lines += strings.Replace(nginxNode, "127.0.0.1:8080", upstream, 1) + "\n"
	}
	return lines
}

// hesitant is a model server that sends the next word when the test asks for it.
func hesitant(t *testing.T) (url string, say chan string) {
	t.Helper()
	say = make(chan string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(delta, finish any) {
			data, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
			fmt.Fprintf(w, "data: %s\n\n", data)
			w.(http.Flusher).Flush()
		}
		for {
			select {
			case word, more := <-say:
				if !more {
					send(struct{}{}, "stop")
					fmt.Fprint(w, "data: [DONE]\n\n")
					return
				}
				send(map[string]string{"content": word}, nil)
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, say
}

// behind starts a gateway whose callers come through a proxy, except those at direct.
func behind(t *testing.T, proxy func(*testing.T, ...string) string, model string) (p *process, direct string) {
	t.Helper()
	p = start(t, model, map[string]string{"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": []}`})
	direct = p.url
	p.url = proxy(t, strings.TrimPrefix(direct, "http://"))
	return p, direct
}

// Behind a proxy, each event arrives before the next one is sent, so nothing is held
// back. The gateway notices that a viewer has left, and a viewer that returns gets
// the rest.
func TestStreamsPassProxies(t *testing.T) {
	for name, proxy := range proxies {
		t.Run(name, func(t *testing.T) {
			model, say := hesitant(t)
			p, direct := behind(t, proxy, model)
			p.client.Timeout = time.Minute // what is held back ends the test, and does not hang it
			read := func(resp *http.Response) func() sse.Event {
				next, stop := pull(resp.Body)
				t.Cleanup(stop)
				return next
			}
			posted := read(p.do("POST", "/v1/apps/helper/chats/c1/messages", `{"message":"go"}`))
			for _, want := range []string{"turn.start", "user.message"} {
				if ev := posted(); ev.Name != want {
					t.Fatalf("%q, want %s before the model says a word", ev.Name, want)
				}
			}
			viewing := p.do("GET", "/v1/apps/helper/chats/c1/events", "")
			viewed := read(viewing)
			if ev := viewed(); ev.Name != "snapshot" {
				t.Fatalf("the viewer begins with %q", ev.Name)
			}
			last := ""
			word := func(text string, readers ...func() sse.Event) {
				t.Helper()
				say <- text
				for _, next := range readers {
					ev := next()
					for ev.Name == "turn.start" || ev.Name == "user.message" { // the viewer's replay
						ev = next()
					}
					if ev.Name != "chunk" || !strings.Contains(string(ev.Data), text) {
						t.Fatalf("%s %s, want the word %q", ev.Name, ev.Data, text)
					}
					last = ev.ID
				}
			}
			for i := range 5 {
				word(fmt.Sprintf("word%d ", i), posted, viewed)
			}
			viewing.Body.Close()
			waitFor(t, func() bool {
				return strings.Contains(fetch(t, direct+"/metrics"), `askgate_sse_connections{app="helper"} 1`)
			})
			seen := last
			word("missed ", posted)
			again := read(p.do("GET", "/v1/apps/helper/chats/c1/events", "", "Last-Event-ID", seen))
			if ev := again(); ev.Name != "chunk" || !strings.Contains(string(ev.Data), "missed") {
				t.Errorf("after the reconnect: %s %s", ev.Name, ev.Data)
			}
			word("live ", posted, again)
			close(say)
			for _, next := range []func() sse.Event{posted, again} {
				if ev := next(); ev.Name != "done" {
					t.Errorf("at the end: %s", ev.Name)
				}
			}
			if got := p.do("GET", "/metrics", "").StatusCode; got != http.StatusNotFound {
				t.Errorf("a stranger reads the metrics: %d", got)
			}
		})
	}
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// pull reads the events of a body one by one. After the end it returns empty events.
func pull(body io.Reader) (next func() sse.Event, stop func()) {
	list := make(chan sse.Event)
	done := make(chan struct{})
	go func() {
		defer close(list)
		for ev, err := range sse.Read(body) {
			ev.Data = slices.Clone(ev.Data)
			select {
			case list <- ev:
			case <-done:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return func() sse.Event { return <-list }, sync.OnceFunc(func() { close(done) })
}

// nginx cuts connections that are silent for proxy_read_timeout. Heartbeats keep a stream open for
// several times as long.
func TestHeartbeatsKeepStreamsOpen(t *testing.T) {
	const beats = 10 // one every 400 ms: twice the timeout
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		options := sse.Options{Heartbeat: 400 * time.Millisecond}
		if r.URL.Path == "/silent" {
			options.Heartbeat = time.Hour
		}
		s := sse.NewWriter(w, options)
		defer s.Close()
		_ = s.Write(nil)
		<-r.Context().Done()
	}))
	t.Cleanup(upstream.CloseClientConnections)
	address := freePort(t)
	startNginx(t, address, shipped(t, "nginx.conf", nginxNode, nginxNodes(upstream.Listener.Addr().String()),
		"listen 80;", "listen "+address+";", "proxy_read_timeout 60s;", "proxy_read_timeout 2s;"))
	count := func(path string) int {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		n := 0
		for lines := bufio.NewScanner(resp.Body); n < beats && lines.Scan(); {
			if lines.Text() == ": heartbeat" {
				n++
			}
		}
		if ctx.Err() != nil {
			t.Fatalf("%s: neither cut nor alive", path)
		}
		return n
	}
	if n := count("/silent"); n != 0 {
		t.Errorf("the silent stream has %d heartbeats", n)
	}
	if n := count("/beating"); n != beats {
		t.Errorf("the stream was cut after %d heartbeats", n)
	}
}

// badNginx is a common configuration, with mistakes and with settings that others choose on purpose.
const badNginx = `
gzip on;
gzip_types *;
gzip_min_length 0;
server {
	listen LISTEN;
	client_max_body_size 512k;
	location / {
		proxy_pass http://UPSTREAM;
		proxy_ignore_headers X-Accel-Buffering;
		proxy_hide_header X-Request-Id;
		proxy_set_header Authorization "";
		proxy_set_header Last-Event-ID "";
	}
}`

// askgate doctor finds nothing wrong with the proxies of deploy/, and finds the mistakes of another
// configuration.
func TestDoctorThroughRealProxies(t *testing.T) {
	all := map[string]func(*testing.T, ...string) string{"bad nginx": func(t *testing.T, upstreams ...string) string {
		address := freePort(t)
		startNginx(t, address, strings.NewReplacer("LISTEN", address, "UPSTREAM", upstreams[0]).Replace(badNginx))
		return "http://" + address
	}}
	for name, proxy := range proxies {
		all[name] = proxy
	}
	for name, proxy := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := behind(t, proxy, "")
			var broken []string
			doctor.Examine(t.Context(), doctor.Options{URL: p.url, Client: &http.Client{}}, func(c doctor.Check) {
				t.Logf("%v %s: %s", c.OK, c.Name, c.Found)
				if !c.OK {
					broken = append(broken, c.Name)
				}
			})
			var want []string
			if name == "bad nginx" {
				want = []string{"request id", "compression", "body", "headers", "buffering", "last event id", "authorization", "upstream"}
			}
			if !slices.Equal(broken, want) {
				t.Errorf("broken: %q\nwant: %q", broken, want)
			}
		})
	}
}
