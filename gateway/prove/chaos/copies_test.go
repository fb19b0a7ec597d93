package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/prove/testenv"
)

// copyTest copies a store that has conversations, with a process that is killed at each step.
type copyTest struct {
	*testing.T
	plant  *plant
	model  *modeltest.Server
	config string
	store  string // where the gateway runs
	files  string // where that store's uploaded files are
	node   *node
}

// TestACopyKilledAtEachStepIsFinished kills askgate copy at each of its steps, to PostgreSQL and back,
// and runs it again. From the first row on, no gateway starts on the source or on the unfinished copy.
// What clients see afterwards is what they saw before, and the open question is answered once.
func TestACopyKilledAtEachStepIsFinished(t *testing.T) {
	testenv.Postgres(t)
	t.Parallel()
	p, err := newPlant(t.Context(), common{askgate: gate, store: sqlite})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	c := &copyTest{T: t, plant: p, model: modeltest.NewFunc(t, play), config: filepath.Join(p.dir, "config"), files: filepath.Join(p.dir, "files")}
	c.store = c.fresh(sqlite)
	c.start()
	w := &world{cluster: &cluster{nodes: []*node{c.node}}}
	w.arm(nil)
	chats := c.converse(w)
	before := c.seen(chats)

	c.abandoned(c.fresh(postgres))
	c.same("after --abandon", before, c.seen(chats))
	for _, kind := range []string{postgres, sqlite} {
		c.copyTo(c.fresh(kind))
		c.same("in "+kind, before, c.seen(chats))
	}
	open := w.talk(t.Context(), appTalk, openChat)
	defer open.end()
	open.name = "in the copy" // keys that were not used before
	answer := object{"value": "pdf"}
	if err := open.answers(open.call(1, 0, 0), answer, "idle", 0); err != nil {
		t.Fatal(err)
	}
	answer["toolCallId"] = open.call(1, 0, 0)
	if _, err := open.refused(object{"answer": answer}, "already_answered"); err != nil {
		t.Error(err)
	}
}

// openChat has a question that is open while it is copied.
const openChat = "copied-open"

// fresh creates an empty store of a kind, which ends with the test.
func (c *copyTest) fresh(kind string) string {
	c.Helper()
	d, err := newDatabases(kind, c.plant.dir)
	if err != nil {
		c.Fatal(err)
	}
	store, remove, err := d.fresh(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(remove)
	return store
}

// serve is a node on a store. It does not run yet.
func (c *copyTest) serve(store string) *node {
	return &node{name: "A", binary: gate, args: []string{"serve", "--config", c.config, "--store", store, "--listen", "127.0.0.1:0"}}
}

// start runs a gateway on the store.
func (c *copyTest) start() {
	c.Helper()
	talk := object{"id": appTalk, "name": appTalk, "tools": []string{"ask_user", "calculator"}, "attachments": true}
	if err := configure(c.config, c.model.URL, c.plant.calls.URL, time.Second, object{"apps/" + appTalk + ".json": talk}, object{"files": object{"store": c.files}}); err != nil {
		c.Fatal(err)
	}
	n := c.serve(c.store)
	if c.node == nil {
		c.node = n
		c.Cleanup(c.node.stop)
	}
	c.node.args = n.args
	if _, err := c.node.start(c.Context()); err != nil {
		c.Fatal(err)
	}
}

// stop ends the gateway as an operator does.
func (c *copyTest) stop() {
	c.Helper()
	l := c.node.present()
	c.node.signal(syscall.SIGTERM)
	if err := l.Wait(); err != nil {
		c.Fatalf("%v\n%s", err, c.node.tail())
	}
}

// converse runs scenes, uploads a file, and leaves a question open. It returns the paths of the chats.
func (c *copyTest) converse(w *world) (paths []string) {
	c.Helper()
	for i, s := range scenes {
		if !slices.Contains([]string{"text", "calls with a question", "form", "approvals", "approvals that are remembered", "fork", "message as answer"}, s.name) {
			continue
		}
		name := fmt.Sprint("copied", i)
		talk := w.talk(c.Context(), s.app, name)
		err := s.drive(talk, rand.New(rand.NewPCG(1, 0)))
		talk.end()
		if err != nil {
			c.Fatalf("%s: %v", s.name, err)
		}
		paths = append(paths, "/v1/apps/"+s.app+"/chats/"+name)
	}
	open := w.talk(c.Context(), appTalk, openChat)
	defer open.end()
	if err := open.begins("choose", "awaiting_input", 1); err != nil {
		c.Fatal(err)
	}
	return append(paths, c.sendFile(), "/v1/apps/"+appTalk+"/chats/"+openChat, "/v1/clarifications?status=all&limit=100", "/v1/apps/"+appTalk+"/chats?limit=100", "/v1/apps/"+appGuard+"/chats?limit=100")
}

// sendFile sends a file with a message, and returns its path.
func (c *copyTest) sendFile() string {
	c.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "prices.csv")
	if err == nil {
		_, err = io.WriteString(part, "rose,3\n")
	}
	if err = errors.Join(err, form.Close()); err != nil {
		c.Fatal(err)
	}
	path := "/v1/apps/" + appTalk + "/chats/copied-file"
	resp, err := request(c.Context(), "POST", c.node.url()+path+"/files", body.String(), "Content-Type", form.FormDataContentType())
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	var file struct{ FileID string }
	if err := json.NewDecoder(resp.Body).Decode(&file); err != nil {
		c.Fatal(err)
	}
	sent, err := request(c.Context(), "POST", c.node.url()+path+"/messages", fmt.Sprintf(`{"message": "story", "files": [%q]}`, file.FileID))
	if err != nil {
		c.Fatal(err)
	}
	if a, err := read(sent.Body, nil); err != nil || a.finish != "stop" {
		c.Fatalf("a message with a file ends with %q: %v", a.finish, err)
	}
	return path + "/files/" + file.FileID
}

// seen returns what clients are shown, by path, and what the check of the audit says.
func (c *copyTest) seen(paths []string) map[string]string {
	c.Helper()
	shown := map[string]string{}
	for _, path := range paths {
		resp, err := request(c.Context(), http.MethodGet, c.node.url()+path, "")
		if err != nil {
			c.Fatalf("%s: %v", path, err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			c.Fatal(err)
		}
		shown[path] = string(text)
	}
	out, err := exec.CommandContext(c.Context(), gate, "audit", "--verify", "--config", c.config, "--store", c.store).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Records: ") {
		c.Errorf("audit --verify: %v: %s", err, out)
	}
	shown["the audit"] = string(out)
	return shown
}

func (c *copyTest) same(when string, before, after map[string]string) {
	c.Helper()
	for path, was := range before {
		if is := after[path]; is != was {
			c.Errorf("%s, %s is\n%s\nwas\n%s", when, path, is, was)
		}
	}
}

// copying runs a copy that dies at its next step, or to its end, and returns the step, or "".
func (c *copyTest) copying(steps, to string, more ...string) (step, output string, err error) {
	c.Helper()
	cmd := exec.CommandContext(c.Context(), gate, slices.Concat([]string{"copy", "--config", c.config, "--from", c.store, "--to", to}, more)...)
	cmd.Env = append(os.Environ(), "ASKGATE_CRASH_STEPS="+steps)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		died, err := os.ReadFile(steps)
		if err != nil {
			c.Fatal(err)
		}
		list := strings.Split(strings.TrimSpace(string(died)), "\n")
		return list[len(list)-1], string(out), nil
	}
	return "", string(out), err
}

// stepsFile is a file for ASKGATE_CRASH_STEPS.
func (c *copyTest) stepsFile() string {
	c.Helper()
	path := filepath.Join(c.TempDir(), "steps")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		c.Fatal(err)
	}
	return path
}

// refused fails unless no gateway starts on a store, and its log says why.
func (c *copyTest) refused(step, store, says string) {
	c.Helper()
	n := c.serve(store)
	defer n.stop()
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	if _, err := n.start(ctx); err == nil || !strings.Contains(err.Error(), says) {
		c.Errorf("%s: a gateway on %s: %v; want %q", step, strings.SplitN(store, ":", 2)[0], err, says)
	}
}

// abandoned begins a copy, kills it in the middle, and abandons it, with a process that is killed, too.
func (c *copyTest) abandoned(to string) {
	c.Helper()
	c.stop()
	steps := c.stepsFile()
	run := func(until string, more ...string) {
		c.Helper()
		for {
			step, out, err := c.copying(steps, to, more...)
			if step == "" {
				c.Fatalf("%s was not reached: %v: %s", until, err, out)
			}
			if step == until {
				return
			}
		}
	}
	run("after a batch of messages")
	run("target abandoned", "--abandon")
	c.refused("target abandoned", c.store, "is copying it")
	c.refused("target abandoned", to, "abandoned")
	if _, out, err := c.copying(steps, to); err == nil || !strings.Contains(out, "is being abandoned; run the same askgate copy with --abandon") {
		c.Errorf("a copy after --abandon: %v: %s", err, out)
	}
	run("source open", "--abandon")
	c.refused("source open", to, "abandoned")
	if _, out, err := c.copying(steps, to, "--abandon"); err == nil || !strings.Contains(out, "nothing to abandon") {
		c.Errorf("--abandon again: %v: %s", err, out)
	}
	if _, out, err := c.copying(steps, to); err == nil || !strings.Contains(out, "was abandoned; delete the file or drop the tables") {
		c.Errorf("a copy after --abandon: %v: %s", err, out)
	}
	c.start()
}

// copyTo copies the store, kills the copy at each step, and runs the gateway on the copy.
func (c *copyTest) copyTo(to string) {
	c.Helper()
	c.stop()
	steps, files := c.stepsFile(), filepath.Join(c.TempDir(), "files")
	killed := 0
	for marked := false; ; killed++ {
		step, out, err := c.copying(steps, to, "--files", files)
		if step == "target open" {
			break
		}
		if step == "" {
			c.Fatalf("after %d kills: %v: %s", killed, err, out)
		}
		if marked = marked || step == "source marked"; !marked {
			continue
		}
		source := "is copying it"
		if step == "source copied" {
			source = "has copied it"
		}
		c.refused(step, c.store, source)
		c.refused(step, to, "unfinished copy")
	}
	c.Logf("killed at %d steps", killed+1)
	died, err := os.ReadFile(steps)
	for _, step := range []string{"opened", "tables", "target marked", "source marked", "in a batch of clarifications", "before a file", "after the check", "source copied"} {
		if err != nil || !strings.Contains("\n"+string(died), "\n"+step+"\n") {
			c.Errorf("never killed at %q: %s %v", step, died, err)
		}
	}
	c.refused("target open", c.store, "has copied it")
	if _, out, err := c.copying(steps, to, "--abandon"); err == nil || !strings.Contains(out, "its copy is finished") {
		c.Errorf("--abandon of a finished copy: %v: %s", err, out)
	}
	c.store, c.files = to, files
	c.start()
}
