package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/gatewaytest"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

const (
	nodes = 3
	// shutdownTimeout is how long a node that is replaced waits for its turns.
	shutdownTimeout = 5 * time.Second
	tenantHeader    = "X-Tenant"
	subjectHeader   = "X-Subject"
)

// apps are those of the template's chats.
var apps = []string{"helper", "translator", "clerk"}

// fleet is three nodes on the database, and their clients.
type fleet struct {
	o      options
	dir    string
	args   []string
	model  *modeltest.Server
	nodes  [nodes]atomic.Pointer[gatewaytest.Process]
	client *http.Client

	streams  []*stream
	watching sync.WaitGroup
	leave    context.CancelFunc
	idle     float64 // transactions of a node a second, without streams
	empty    float64 // memory of the nodes then, in bytes
}

func newFleet(_ context.Context, o options, store string) (*fleet, error) {
	dir, err := os.MkdirTemp("", "scale")
	if err != nil {
		return nil, err
	}
	f := &fleet{o: o, dir: dir, model: modeltest.NewFunc(nil, play), client: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true},
	}}
	f.args = []string{"serve", "--config", filepath.Join(dir, "config"), "--store", store, "--redis", o.redis, "--listen", "127.0.0.1:0"}
	return f, f.configure()
}

func (f *fleet) configure() error {
	files := map[string]any{
		"gateway.json": map[string]any{
			"models":          map[string]any{"default": map[string]any{"provider": "openai", "baseUrl": f.model.URL, "model": "scripted", "timeout": "10m"}},
			"limits":          map[string]any{"requestsPerMinute": 1_000_000, "burst": 1_000_000, "concurrentTurns": 0, "streams": 0},
			"auth":            map[string]any{"mode": "proxy", "proxy": map[string]any{"from": []string{"127.0.0.1"}, "headers": map[string]any{"tenant": tenantHeader, "subject": subjectHeader}}},
			"shutdownTimeout": shutdownTimeout.String(),
		},
	}
	for _, id := range apps {
		files["apps/"+id+".json"] = map[string]any{"id": id, "name": id, "tools": []string{"ask_user", "calculator"}}
	}
	for name, content := range files {
		path := filepath.Join(f.dir, "config", name)
		b, err := json.Marshal(content)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o750)
		}
		if err == nil {
			err = os.WriteFile(path, b, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// launch starts node i.
func (f *fleet) launch(ctx context.Context, i int) error {
	p, err := gatewaytest.Program{Path: f.o.askgate, Args: f.args}.Start(ctx)
	if err != nil {
		return err
	}
	f.nodes[i].Store(p)
	return nil
}

func (f *fleet) start(ctx context.Context) error {
	for i := range nodes {
		if err := f.launch(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (f *fleet) close() {
	if f.leave != nil {
		f.leave()
	}
	f.watching.Wait()
	for i := range nodes {
		if p := f.nodes[i].Load(); p != nil {
			p.Kill()
		}
	}
	f.model.Close()
	_ = os.RemoveAll(f.dir)
}

// cpu returns the processor time of the nodes that run.
func (f *fleet) cpu(which ...int) (sum time.Duration) {
	for _, i := range which {
		sum += processor(f.nodes[i].Load().PID())
	}
	return sum
}

// tick is the unit of /proc/PID/stat.
const tick = 10 * time.Millisecond

// processor returns the processor time of a process so far, 0 if there is none.
func processor(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ") // its name may contain anything
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick
}

// memory returns what the nodes hold that the kernel cannot take back, in bytes.
func (f *fleet) memory() (sum float64) {
	for i := range nodes {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", f.nodes[i].Load().PID()))
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
				n, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
				sum += n * 1024
			}
		}
	}
	return sum
}

// request sends a request of a person to node i. The caller closes the body.
func (f *fleet) request(ctx context.Context, i int, method, path, tenant, subject, body string, header ...string) (*http.Response, error) {
	p := f.nodes[i].Load()
	req, err := http.NewRequestWithContext(ctx, method, p.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(tenantHeader, tenant)
	req.Header.Set(subjectHeader, subject)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
	}
	return resp, nil
}

// fetch is request for a response that is read whole.
func (f *fleet) fetch(ctx context.Context, i int, method, path, tenant, subject, body string) ([]byte, error) {
	resp, err := f.request(ctx, i, method, path, tenant, subject, body, "Accept", "application/json")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func chatPath(app, id string) string { return "/v1/apps/" + app + "/chats/" + id }

// say sends a message, and waits for the turn's end or question.
func (f *fleet) say(ctx context.Context, i int, tenant, subject, app, id, message string) error {
	body, err := json.Marshal(map[string]string{"message": message})
	if err == nil {
		_, err = f.fetch(ctx, i, http.MethodPost, chatPath(app, id)+"/messages", tenant, subject, string(body))
	}
	return err
}

// chatOf returns app and id of one of the template's chats.
func chatOf(n int) (app, id string) {
	return apps[n%len(apps)], fmt.Sprintf("5f3c9a52-77d1-4b0e-8f0a-%012d", n)
}

// What the template's people say.
const (
	sayTalk = "Please explain how a letter of credit protects the seller of a shipment, in a few sentences that I can forward."
	sayCall = "compute the total of the invoice with the discount that we agreed on"
	sayAsk  = "ask me which of the two offers I prefer before you write the reply"
	saySlow = "slow"
)

// template has the template's person lead its chats: a tenth with calls, a twentieth with a question
// that is answered, and one with a question that waits.
func (f *fleet) template(ctx context.Context) error {
	if err := f.launch(ctx, 0); err != nil {
		return err
	}
	for n := range templateChats {
		app, id := chatOf(n)
		say := []string{sayTalk, sayTalk}
		switch {
		case n%10 == 3:
			say = append(say, sayCall)
		case n%20 == 7:
			say = append(say, sayAsk)
		}
		if n == templateChats-1 {
			say = append(say, sayAsk)
		}
		for _, message := range say {
			if err := f.say(ctx, 0, templateTenant, templateSubject, app, id, message); err != nil {
				return err
			}
		}
		if n%20 == 7 {
			if err := f.answer(ctx, app, id); err != nil {
				return err
			}
		}
	}
	f.nodes[0].Load().Kill()
	return nil
}

// answer answers the question of a chat of the template's.
func (f *fleet) answer(ctx context.Context, app, id string) error {
	b, err := f.fetch(ctx, 0, http.MethodGet, "/v1/clarifications?state=pending&limit=100", templateTenant, templateSubject, "")
	if err != nil {
		return err
	}
	var page struct {
		Items []struct {
			ChatID     string `json:"chatId"`
			ToolCallID string `json:"toolCallId"`
		} `json:"items"`
	}
	if err := json.Unmarshal(b, &page); err != nil {
		return err
	}
	for _, c := range page.Items {
		if c.ChatID == id {
			_, err := f.fetch(ctx, 0, http.MethodPost, chatPath(app, id)+"/messages", templateTenant, templateSubject,
				fmt.Sprintf(`{"answer":{"toolCallId":%q,"value":"The second one"}}`, c.ToolCallID))
			return err
		}
	}
	return fmt.Errorf("chat %s has no question: %s", id, b)
}

// play is the model.
func play(_ int, r modeltest.Request) modeltest.Response {
	last := r.Body.Messages[len(r.Body.Messages)-1]
	said, _ := json.Marshal(last)
	finish := func(steps ...modeltest.Step) modeltest.Response {
		return append(steps, modeltest.Tokens(400, 90), modeltest.Done())
	}
	switch text := string(said); {
	case strings.Contains(text, sayCall):
		return finish(modeltest.Call(0, callID(r), "calculator", `{"expression":"1250*0.97"}`), modeltest.Finish("tool_calls"))
	case strings.Contains(text, sayAsk):
		return finish(modeltest.Call(0, callID(r), "ask_user", `{"question":"Which of the two offers do you prefer?","inputType":"select","options":["The first one","The second one"]}`), modeltest.Finish("tool_calls"))
	case strings.Contains(text, `"`+saySlow+`"`):
		var steps []modeltest.Step
		for range 60 {
			steps = append(steps, modeltest.Text("word "), modeltest.Delay(time.Second))
		}
		return finish(append(steps, modeltest.Finish("stop"))...)
	}
	var steps []modeltest.Step
	for word := range strings.SplitAfterSeq(reply, " ") {
		steps = append(steps, modeltest.Text(word))
	}
	return finish(append(steps, modeltest.Finish("stop"))...)
}

var calls atomic.Int64

func callID(modeltest.Request) string { return fmt.Sprintf("call_%06d", calls.Add(1)) }

// reply is the model's text.
const reply = "The bank of the buyer promises to pay as soon as the seller hands in the documents that were agreed on, such as the bill of lading " +
	"and the invoice. The seller can rely on the bank instead of the buyer, and the buyer pays only for goods that were shipped."
