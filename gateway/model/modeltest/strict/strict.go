package strict

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"

	"github.com/askgate/askgate/gateway/model"
)

// Key is the key that every server accepts.
const Key = "strict-key-0123456789"

// maxBody limits a request's body, in bytes.
const maxBody = 64 << 20

// Kind is one provider's server.
type Kind struct {
	Name     string
	Provider string // in a gateway's configuration: openai, anthropic or gemini
	API      string // chat or responses, for provider openai
	BaseURL  string // as operators configure it
	Model    string
	Images   bool // the model sees images
	PDF      bool // it reads PDFs
	State    bool // its answers contain state that has to be sent back
	// Efforts lists the values that the server accepts for the effort of the reasoning.
	Efforts []string
	// Dead reports that no request with tools has a form that this server accepts.
	Dead bool

	rules []Rule
	fail  shape
	plays func(*asked, Answer) stream
	flaws func(*asked) []string
}

// Rule is one reason for which a server refuses a request.
type Rule struct {
	Name   string
	Source string
	Date   string // of the source
	check  func(*asked) *refusal
}

// Rules returns what the server refuses, in the order in which it checks.
func (k *Kind) Rules() []Rule { return k.rules }

// refusal is the response to a request that breaks a rule.
type refusal struct {
	status int
	body   string
}

// shape writes an error in the format of one provider. param and code may be "".
type shape func(status int, message, param, code string) string

// Answer is a model's response to one request. Its parts are streamed in order.
type Answer struct {
	Parts  []Part
	Finish string // the server's word for the end; "": the one that matches the parts
	Status int    // refuses instead, with Body
	Body   string // for Status; "": the provider's form of an error. With 200, JSON or a stream
	Cut    bool   // the connection breaks after the parts
	Hold   bool   // after the parts, nothing more arrives until the client leaves
}

// Part is a piece of an answer. One of its fields is set, except for Hidden.
type Part struct {
	Reasoning string
	Hidden    bool // Reasoning is redacted; only for Messages
	Text      string
	Call      *Call
}

// Call is a call of a tool. Arguments are sent unchanged.
type Call struct{ Name, Arguments string }

// Say returns an answer of text alone.
func Say(text string) Answer { return Answer{Parts: []Part{{Text: text}}} }

// Think returns an answer of reasoning followed by text.
func Think(reasoning, text string) Answer {
	return Answer{Parts: []Part{{Reasoning: reasoning}, {Text: text}}}
}

// Calls returns an answer of reasoning and text followed by calls; either may be "".
func Calls(reasoning, text string, calls ...Call) Answer {
	var a Answer
	if reasoning != "" {
		a.Parts = append(a.Parts, Part{Reasoning: reasoning})
	}
	if text != "" {
		a.Parts = append(a.Parts, Part{Text: text})
	}
	for _, c := range calls {
		a.Parts = append(a.Parts, Part{Call: &c})
	}
	return a
}

// Request is a request as the server received it.
type Request struct {
	Method, Path string
	Header       http.Header
	Raw          []byte
	Refused      string // the name of the rule that it broke; "" for none
	// Log is the request in pieces, in the order in which a cache reads them: tools, system prompt,
	// each message. Cache markers are left out.
	Log []string
	// Counted holds the tokens that the server counted, in the gateway's columns; zero if it was
	// refused.
	Counted model.Usage
}

// Refusal is a refused request and the reason.
type Refusal struct {
	Request int // number of the request, from 0
	Rule    string
	Status  int
	Body    string
}

// TB is the part of *testing.T that a server uses.
type TB interface {
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Server is a strict server. All methods are safe for concurrent use.
type Server struct {
	*Kind
	// URL is the base URL of the server on this machine. Transport reaches it under Kind.BaseURL.
	URL string

	t      TB
	http   *httptest.Server
	closed chan struct{}

	mu       sync.Mutex
	script   []Answer
	requests []Request
	refusals []Refusal
	flaws    []string
	handed   []*handed
	sent     []string // each stream that was sent, with Answer.Cut up to the break
}

// handed is a message that the server made, in the form in which it has to be sent back.
type handed struct {
	echo any
	ids  []string // of its calls
	// inputs are the arguments of its calls as they were written; for Messages and Gemini only.
	inputs []string
	prefix string // what preceded it, see prefixOf; for Messages only
}

// New starts a server with these answers, one for each request that it does not refuse. A further request
// fails the test, and is refused with status 418. t may be nil.
func New(t TB, kind *Kind, script ...Answer) *Server {
	s := &Server{Kind: kind, t: t, script: script, closed: make(chan struct{})}
	s.http = httptest.NewServer(s)
	base, _ := url.Parse(kind.BaseURL) // a constant
	s.URL = s.http.URL + base.Path
	if t != nil {
		t.Cleanup(s.Close)
	}
	return s
}

// Close ends the server.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.closed:
		s.mu.Unlock()
		return
	default:
		close(s.closed)
	}
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Script adds answers.
func (s *Server) Script(more ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, more...)
}

// Left returns the number of answers that were not requested yet.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.script)
}

// Transport sends all requests to the server, whatever their host.
func (s *Server) Transport() http.RoundTripper { return transport{s} }

type transport struct{ s *Server }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if r.Host == "" {
		r.Host = r.URL.Host
	}
	r.URL.Scheme, r.URL.Host = "http", t.s.http.Listener.Addr().String()
	return t.s.http.Client().Transport.RoundTrip(r)
}

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Refusals returns the refusals so far.
func (s *Server) Refusals() []Refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Refusal(nil), s.refusals...)
}

// Flaws returns the deviations in requests that the real server accepts: state that was not sent
// back, or was sent to another server, and words of the model that were changed.
func (s *Server) Flaws() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.flaws...)
}

// Handed returns the messages that the server made so far, in the form in which they have to be
// sent back: one JSON value each; for Responses, an array of items.
func (s *Server) Handed() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, h := range s.handed {
		all = append(all, canon(h.echo))
	}
	return all
}

// Streams returns the streams that the server sent so far.
func (s *Server) Streams() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.sent...)
}

// asked is a request in the form that rules check.
type asked struct {
	s        *Server
	r        *http.Request
	body     node
	system   any    // if it is not a message
	messages []node // messages, input or contents
	tools    []toolDef
	usage    model.Usage // of the prompt
}

// toolDef is a tool that a request offers.
type toolDef struct {
	name   string
	schema any // nil for none
	at     string
}

func (a *asked) refuse(status int, param, code, format string, args ...any) *refusal {
	return &refusal{status, a.s.fail(status, fmt.Sprintf(format, args...), param, code)}
}

// ServeHTTP checks a request, and plays the next answer.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "unreadable body", http.StatusBadRequest)
		return
	}
	played, no := s.judge(r, raw)
	if no != nil {
		w.Header().Set("Content-Type", "application/json")
		if no.status == http.StatusOK && !strings.HasPrefix(no.body, "{") {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		w.WriteHeader(no.status)
		_, _ = io.WriteString(w, no.body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	for _, piece := range played.pieces {
		if _, err := io.WriteString(w, piece); err != nil {
			return
		}
		_ = flush.Flush()
	}
	switch {
	case played.answer.Hold:
		_ = flush.Flush()
		select {
		case <-r.Context().Done():
		case <-s.closed:
		}
		panic(http.ErrAbortHandler)
	case played.answer.Cut:
		panic(http.ErrAbortHandler) // net/http's way to break the connection
	}
}

// stream is an answer in the form in which a server sends it.
type stream struct {
	answer Answer
	pieces []string
	whole  int // number of pieces before those that end it
	made   *handed
	out    model.Usage // the answer's part of the counts
}

func (s *Server) judge(r *http.Request, raw []byte) (stream, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Raw: raw})
	note := &s.requests[n]
	refused := func(rule string, no *refusal) (stream, *refusal) {
		note.Refused = rule
		s.refusals = append(s.refusals, Refusal{n, rule, no.status, no.body})
		return stream{}, no
	}
	a := &asked{s: s, r: r}
	body, err := decode(raw)
	if err != nil {
		return refused("json", a.refuse(http.StatusBadRequest, "", "", "We could not parse the JSON body of your request: %v", err))
	}
	a.body = body
	a.read()
	note.Log = a.log()
	for _, rule := range s.rules {
		if no := rule.check(a); no != nil {
			return refused(rule.Name, no)
		}
	}
	for _, f := range s.Kind.flaws(a) {
		s.flaws = append(s.flaws, fmt.Sprintf("%s: request %d: %s", s.Name, n, f))
	}
	if len(s.script) == 0 {
		if s.t != nil {
			s.t.Errorf("%s: request %d exceeds the script", s.Name, n)
		}
		return refused("script", &refusal{http.StatusTeapot, s.fail(http.StatusTeapot, "the script has ended", "", "")})
	}
	next := s.script[0]
	s.script = s.script[1:]
	if next.Status != 0 {
		body := next.Body
		if body == "" {
			body = s.fail(next.Status, http.StatusText(next.Status), "", "")
		}
		return refused("scripted", &refusal{next.Status, body})
	}
	a.usage = s.prompt(note.Log)
	played := s.plays(a, next)
	played.answer = next
	if next.Cut || next.Hold {
		played.pieces = played.pieces[:played.whole]
	} else {
		played.made.echo = parse(canon(played.made.echo))
		s.handed = append(s.handed, played.made)
		note.Counted = played.out
	}
	s.sent = append(s.sent, strings.Join(played.pieces, ""))
	return played, nil
}

// prompt counts the tokens of a request, at four bytes each, and those of them that the server has
// seen before.
func (s *Server) prompt(log []string) model.Usage {
	whole := strings.Join(log, "")
	best := 0
	for _, r := range s.requests[:len(s.requests)-1] {
		if r.Refused == "" {
			best = max(best, common(whole, strings.Join(r.Log, "")))
		}
	}
	u := model.Usage{InputTokens: int64(len(whole)/4 + 3), CachedInputTokens: int64(best / 4 / 16 * 16)}
	return u
}

func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// count adds the answer's tokens to those of its prompt.
func (a *asked) count(answer Answer) model.Usage {
	u := a.usage
	for _, p := range answer.Parts {
		u.ReasoningTokens += int64((len(p.Reasoning) + 3) / 4)
		u.OutputTokens += int64((len(p.Text) + 3) / 4)
		if p.Call != nil {
			u.OutputTokens += int64(len(p.Call.Name+p.Call.Arguments)/4 + 2)
		}
	}
	u.OutputTokens += u.ReasoningTokens + 1
	return u
}

var errNoObject = errors.New("the body is not a JSON object")
