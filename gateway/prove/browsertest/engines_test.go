//go:build browsers

package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// engine is a running browser: open returns a new window, which shares nothing with earlier ones.
type engine interface {
	open() (driver, error)
}

// driver controls a window. Keys and clicks are sources of actions as the W3C defines them, which both
// protocols accept.
type driver interface {
	visit(url string) error
	reload() error
	run(js string) (string, error) // awaits an expression for a promise of a string
	act(source object) error
	close() error
}

// engines are the browsers that run the flows besides Chromium.
var engines = []struct {
	name  string
	start func(*testing.T) engine
}{{"Firefox", startFirefox}, {"WebKitGTK", startWebKit}}

// program starts a program that ends with the test, with a home of its own. It returns what follows the
// pattern in the output of the program, once that is there; an empty pattern matches nothing to wait for.
func program(t *testing.T, ready *regexp.Regexp, home string, env []string, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("no %s: install it (on Debian: apt-get install firefox-esr webkit2gtk-driver xvfb): %v", name, err)
	}
	output, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), path, args...)
	cmd.Stdout, cmd.Stderr = write, write
	cmd.Env = append(os.Environ(), append(env, "HOME="+home, "XDG_CACHE_HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_RUNTIME_DIR="+home, "LANGUAGE=en_US", "LANG=C.UTF-8")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its children end with it
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	found, done := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 4096)
		for waits := ready != nil; ; {
			n, err := output.Read(buf)
			log.Write(buf[:n])
			if waits {
				if m := ready.FindSubmatch(log.Bytes()); m != nil {
					waits = false
					found <- string(m[1])
				}
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		_ = output.SetReadDeadline(time.Unix(1, 0)) // a process that left the group may hold the other end
		<-done
		_ = output.Close()
		if t.Failed() {
			t.Logf("%s printed:\n%.5000s", name, log.String())
		}
	})
	if ready == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	select {
	case at := <-found:
		return at
	case <-done:
		t.Fatalf("%s ended", name)
	case <-ctx.Done():
		t.Fatalf("%s does not print %s", name, ready)
	}
	return ""
}

// preferences keep Firefox from calling home.
const preferences = `user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("browser.safebrowsing.update.enabled", false);
user_pref("extensions.getAddons.cache.enabled", false);
user_pref("services.settings.server", "data:,#none");
user_pref("media.gmp-manager.updateEnabled", false);
`

// firefox speaks WebDriver BiDi, over its WebSocket.
type firefox struct {
	socket *websocket.Conn
	last   int // id of the last command
}

// origin is from where the tests connect to Firefox.
const origin = "http://127.0.0.1"

func startFirefox(t *testing.T) engine {
	name := "firefox-esr"
	if _, err := exec.LookPath(name); err != nil {
		name = "firefox"
	}
	home := t.TempDir()
	profile := filepath.Join(home, "profile")
	if err := errors.Join(os.Mkdir(profile, 0o700), os.WriteFile(filepath.Join(profile, "user.js"), []byte(preferences), 0o600)); err != nil {
		t.Fatal(err)
	}
	at := program(t, regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)\s`), home, nil,
		name, "--headless", "--no-remote", "--remote-debugging-port=0", "--remote-allow-origins="+origin, "--profile", profile, "about:blank")
	socket, err := websocket.Dial(at+"/session", "", origin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	f := &firefox{socket: socket}
	if err := f.call("session.new", object{"capabilities": object{}}, nil); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *firefox) call(method string, params object, result any) error {
	f.last++
	if err := errors.Join(f.socket.SetDeadline(time.Now().Add(patience)), websocket.JSON.Send(f.socket, object{"id": f.last, "method": method, "params": params})); err != nil {
		return err
	}
	for {
		var got struct {
			ID             int
			Type           string
			Error, Message string
			Result         json.RawMessage
		}
		if err := websocket.JSON.Receive(f.socket, &got); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		switch {
		case got.ID != f.last: // an event, or the response to a command that took too long
		case got.Type != "success":
			return fmt.Errorf("%s: %s: %s", method, got.Error, got.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(got.Result, result)
		}
	}
}

// tab is a window of Firefox, in a profile of its own.
type tab struct {
	*firefox
	profile, context string
}

func (f *firefox) open() (driver, error) {
	var user struct{ UserContext string }
	if err := f.call("browser.createUserContext", object{}, &user); err != nil {
		return nil, err
	}
	var made struct{ Context string }
	err := f.call("browsingContext.create", object{"type": "window", "userContext": user.UserContext}, &made)
	if err == nil {
		err = f.call("browsingContext.setViewport", object{"context": made.Context, "viewport": object{"width": 1000, "height": 760}}, nil)
	}
	return &tab{f, user.UserContext, made.Context}, err
}

func (w *tab) visit(url string) error {
	return w.call("browsingContext.navigate", object{"context": w.context, "url": url, "wait": "complete"}, nil)
}

func (w *tab) reload() error {
	return w.call("browsingContext.reload", object{"context": w.context, "wait": "complete"}, nil)
}

func (w *tab) run(js string) (string, error) {
	var got struct {
		Result           struct{ Value string }
		ExceptionDetails *struct{ Text string }
	}
	err := w.call("script.evaluate", object{"expression": js, "target": object{"context": w.context}, "awaitPromise": true}, &got)
	if err == nil && got.ExceptionDetails != nil {
		err = errors.New(got.ExceptionDetails.Text)
	}
	return got.Result.Value, err
}

func (w *tab) act(source object) error {
	return w.call("input.performActions", object{"context": w.context, "actions": []object{source}}, nil)
}

func (w *tab) close() error {
	return w.call("browser.removeUserContext", object{"userContext": w.profile}, nil)
}

// webkit speaks WebDriver with WebKitGTK's driver, over HTTP.
type webkit struct{ url string }

func startWebKit(t *testing.T) engine {
	home := t.TempDir()
	display := program(t, regexp.MustCompile(`(?m)^(\d+)$`), home, nil, "Xvfb", "-displayfd", "1", "-screen", "0", "1200x1000x24", "-nolisten", "tcp")
	free, err := net.Listen("tcp", "127.0.0.1:0") // the driver does not tell its port
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	program(t, nil, home, []string{"DISPLAY=:" + display, "GDK_BACKEND=x11", "NO_AT_BRIDGE=1", "GSETTINGS_BACKEND=memory"}, "WebKitWebDriver", "--port="+address[strings.LastIndex(address, ":")+1:])
	k := &webkit{"http://" + address}
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if err = k.call("GET", "/status", nil, nil); err == nil {
			return k
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func (k *webkit) call(method, path string, body, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var raw []byte
	if body != nil {
		raw, _ = json.Marshal(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, k.url+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %d %.2000s", method, path, response.StatusCode, text)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(text, &struct{ Value any }{result})
}

// session is a window of WebKitGTK, and a browser of its own: the driver keeps one at a time.
type session struct {
	*webkit
	path string
}

func (k *webkit) open() (driver, error) {
	var made struct{ SessionID string }
	if err := k.call("POST", "/session", object{"capabilities": object{"alwaysMatch": object{}}}, &made); err != nil {
		return nil, err
	}
	w := &session{k, "/session/" + made.SessionID}
	return w, errors.Join(w.post("/timeouts", object{"script": patience.Milliseconds(), "pageLoad": patience.Milliseconds()}, nil), w.post("/window/rect", object{"width": 1000, "height": 860}, nil))
}

func (w *session) post(path string, body object, result any) error {
	return w.call("POST", w.path+path, body, result)
}

func (w *session) visit(url string) error { return w.post("/url", object{"url": url}, nil) }

func (w *session) reload() error { return w.post("/refresh", object{}, nil) }

func (w *session) run(js string) (got string, err error) {
	err = w.post("/execute/async", object{"script": "const done = arguments[0]; (" + js + ").then(done)", "args": []any{}}, &got)
	return got, err
}

func (w *session) act(source object) error {
	return w.post("/actions", object{"actions": []object{source}}, nil)
}

func (w *session) close() error { return w.call("DELETE", w.path, nil, nil) }
