package api_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
)

func TestBodyIsReadStrictly(t *testing.T) {
	long := strings.Repeat("ä", 32_000)
	for _, test := range []struct {
		name, body string
		status     int
		code       string
		field      string
	}{
		{"empty", ``, 415, "unsupported_media_type", ""}, // no body, no type
		{"no JSON", `{`, 400, "invalid_request", ""},
		{"blank", `  `, 400, "invalid_request", ""},
		{"array", `[]`, 400, "invalid_request", ""},
		{"string", `"message"`, 400, "invalid_request", ""},
		{"null", `null`, 400, "invalid_request", ""},
		{"trailing garbage", `{"message":"hi"} x`, 400, "invalid_request", ""},
		{"two values", `{"message":"hi"}{}`, 400, "invalid_request", ""},
		{"neither", `{}`, 400, "invalid_request", ""},
		{"neither but a key", `{"idempotencyKey":"k"}`, 400, "invalid_request", ""},
		{"both", `{"message":"hi","answer":{}}`, 400, "invalid_request", ""},
		{"unknown", `{"message":"hi","colour":1}`, 400, "invalid_request", "colour"},
		{"unknown by case", `{"Message":"hi"}`, 400, "invalid_request", "Message"},
		{"unknown in answer", `{"answer":{"toolCallId":"c","valeu":"x"}}`, 400, "invalid_request", "answer.valeu"},
		{"unknown in a part", `{"answer":{"answers":[{},{"toolCallId":"c"}]}}`, 400, "invalid_request", "answer.answers[1].toolCallId"},
		{"parts in a part", `{"answer":{"answers":[{"answers":[]}]}}`, 400, "invalid_request", "answer.answers[0].answers"},
		{"repeated", `{"message":"hi","message":"ho"}`, 400, "invalid_request", "message"},
		{"repeated in answer", `{"answer":{"value":"a","value":"b"}}`, 400, "invalid_request", "answer.value"},
		{"message null", `{"message":null}`, 400, "invalid_request", "message"},
		{"message number", `{"message":1}`, 400, "invalid_request", "message"},
		{"answer string", `{"answer":"yes"}`, 400, "invalid_request", "answer"},
		{"answer null", `{"answer":null}`, 400, "invalid_request", "answer"},
		{"value object", `{"answer":{"value":{}}}`, 400, "invalid_request", "answer.value"},
		{"value list", `{"answer":{"value":["a"]}}`, 400, "invalid_request", "answer.value"},
		{"value null", `{"answer":{"value":null}}`, 400, "invalid_request", "answer.value"},
		{"values string", `{"answer":{"values":"a"}}`, 400, "invalid_request", "answer.values"},
		{"values numbers", `{"answer":{"values":["a",1]}}`, 400, "invalid_request", "answer.values[1]"},
		{"note number", `{"answer":{"note":1}}`, 400, "invalid_request", "answer.note"},
		{"skipped string", `{"answer":{"skipped":"true"}}`, 400, "invalid_request", "answer.skipped"},
		{"declined null", `{"answer":{"declined":null}}`, 400, "invalid_request", "answer.declined"},
		{"answers object", `{"answer":{"answers":{}}}`, 400, "invalid_request", "answer.answers"},
		{"answers of strings", `{"answer":{"answers":["a"]}}`, 400, "invalid_request", "answer.answers[0]"},
		{"call id number", `{"answer":{"toolCallId":7}}`, 400, "invalid_request", "answer.toolCallId"},
		{"call id empty", `{"answer":{"toolCallId":""}}`, 400, "invalid_request", "answer.toolCallId"},
		{"interactive string", `{"message":"hi","interactive":"no"}`, 400, "invalid_request", "interactive"},
		{"interactive with an answer", `{"answer":{"value":"x"},"interactive":false}`, 400, "invalid_request", "interactive"},
		{"locale", `{"message":"hi","locale":"not a tag"}`, 400, "invalid_request", "locale"},
		{"locale with nothing behind", `{"message":"hi","locale":"en-"}`, 400, "invalid_request", "locale"},
		{"locale unknown and malformed", `{"message":"hi","locale":"zz-"}`, 400, "invalid_request", "locale"},
		{"locale reserved and malformed", `{"message":"hi","locale":"abcd--DE"}`, 400, "invalid_request", "locale"},
		{"locale of one letter", `{"message":"hi","locale":"d"}`, 400, "invalid_request", "locale"},
		{"locale of nine letters", `{"message":"hi","locale":"abcdefghi"}`, 400, "invalid_request", "locale"},
		{"locale of anything", `{"message":"hi","locale":"*"}`, 400, "invalid_request", "locale"},
		{"locale empty", `{"message":"hi","locale":""}`, 400, "invalid_request", "locale"},
		{"locale long", `{"message":"hi","locale":"en-` + strings.Repeat("abcdefgh-", 9) + `x"}`, 400, "invalid_request", "locale"},
		{"locale number", `{"message":"hi","locale":1}`, 400, "invalid_request", "locale"},
		{"key empty", `{"message":"hi","idempotencyKey":""}`, 400, "invalid_request", "idempotencyKey"},
		{"key long", `{"message":"hi","idempotencyKey":"` + strings.Repeat("k", 201) + `"}`, 400, "invalid_request", "idempotencyKey"},
		{"key not printable", `{"message":"hi","idempotencyKey":"a\nb"}`, 400, "invalid_request", "idempotencyKey"},
		{"blank message", `{"message":" \n\u200b\t"}`, 400, "invalid_request", "message"},
		{"NUL", `{"message":"a\u0000b"}`, 400, "invalid_request", ""},
		{"invalid UTF-8", "{\"message\":\"\xff\"}", 400, "invalid_request", ""},
		{"high surrogate alone", `{"message":"\ud800"}`, 400, "invalid_request", ""},
		{"low surrogate alone", `{"message":"\udc00x"}`, 400, "invalid_request", ""},
		{"two high surrogates", `{"message":"\ud800\ud800"}`, 400, "invalid_request", ""},
		{"deep", `{"answer":{"result":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`, 400, "invalid_request", ""},
		{"message over the limit", `{"message":"` + long + `x"}`, 413, "too_large", "message"},
		{"body over the limit", `{"message":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "too_large", ""},
		{"two results", `{"answer":{"toolCallId":"c","result":{"a":1},"result":2}}`, 400, "invalid_request", "answer.result"},
		{"half a surrogate in a result", `{"answer":{"result":{"a":["\udc00"]}}}`, 400, "invalid_request", ""},
		{"result of one question of several", `{"answer":{"answers":[{"result":1}]}}`, 400, "invalid_request", "answer.answers[0].result"},
		{"arguments no object", `{"answer":{"value":true,"arguments":[1]}}`, 400, "invalid_request", "answer.arguments"},
		{"answer and answers", `{"answer":{"value":"a"},"answers":[{"toolCallId":"c","value":"a"}]}`, 400, "invalid_request", ""},
		{"message and answers", `{"message":"hi","answers":[{"toolCallId":"c","value":"a"}]}`, 400, "invalid_request", ""},
		{"no answers", `{"answers":[]}`, 400, "invalid_request", "answers"},
		{"answers of nothing", `{"answers":{}}`, 400, "invalid_request", "answers"},
		{"answers null", `{"answers":null}`, 400, "invalid_request", "answers"},
		{"answers without a name", `{"answers":[{"toolCallId":"c","value":"a"},{"value":"b"}]}`, 400, "invalid_request", "answers[1]"},
		{"unknown in answers", `{"answers":[{"toolCallId":"c","valeu":"x"}]}`, 400, "invalid_request", "answers[0].valeu"},
		{"too many answers", `{"answers":[` + strings.Repeat(`{"toolCallId":"c","value":"a"},`, 128) + `{"toolCallId":"d","value":"a"}]}`, 400, "invalid_request", "answers"},
		{"interactive with answers", `{"answers":[{"toolCallId":"c","value":"x"}],"interactive":false}`, 400, "invalid_request", "interactive"},
		{"question with answers", `{"answers":[{"toolCallId":"c","value":"x"}],"clarificationId":"clr_1"}`, 400, "invalid_request", "clarificationId"},
		{"error no text", `{"answer":{"toolCallId":"c","error":{"message":"text"}}}`, 400, "invalid_request", "answer.error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			engine := &fakeEngine{}
			s := newServer(t, nil, withEngine(engine))
			p := s.post("c1", test.body).wantProblem(t, test.status, test.code)
			if p.Field != test.field {
				t.Errorf("field %q, want %q", p.Field, test.field)
			}
			if test.field != "" && test.status == 400 && (strings.Contains(p.Detail, "{{") || strings.HasPrefix(p.Detail, "The request is malformed")) {
				t.Errorf("the detail does not explain the error in the field: %q", p.Detail)
			}
			if len(engine.commands) != 0 {
				t.Error("a refused body reached the engine")
			}
		})
	}
}

// Many clients, Python's among them, look at the response only after they have sent the whole body:
// they must get that far.
func TestBodyOverTheLimitIsRefusedAfterItIsSent(t *testing.T) {
	t.Parallel()
	const size = 20 << 20
	for name, header := range map[string]string{"length": fmt.Sprintf("Content-Length: %d", size), "chunks": "Transfer-Encoding: chunked"} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, nil, nil)
			conn := s.beginPost(header)
			piece := bytes.Repeat([]byte(" "), 1<<20)
			for range size / len(piece) {
				if name == "chunks" {
					fmt.Fprintf(conn, "%x\r\n", len(piece))
				}
				if _, err := conn.Write(piece); err != nil {
					t.Fatalf("the gateway closed the connection while the body was sent: %v", err)
				}
				if name == "chunks" {
					fmt.Fprint(conn, "\r\n")
				}
			}
			if name == "chunks" {
				fmt.Fprint(conn, "0\r\n\r\n")
			}
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			data, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			reply{res, data}.wantProblem(t, 413, "too_large")
		})
	}
}

// An endless body is not read endlessly.
func TestBodyWithoutEndIsCutOff(t *testing.T) {
	s := newServer(t, nil, nil)
	conn := s.beginPost("Transfer-Encoding: chunked")
	piece := append(append([]byte("100000\r\n"), bytes.Repeat([]byte(" "), 1<<20)...), "\r\n"...)
	const most = 256 // MiB; the gateway's own limit is lower, but buffers lie in between
	for range most {
		if _, err := conn.Write(piece); err != nil {
			return
		}
	}
	t.Errorf("the gateway read %d MiB", most)
}

// beginPost writes the header of a message request by hand.
func (s *server) beginPost(header string) net.Conn {
	s.t.Helper()
	conn, err := new(net.Dialer).DialContext(s.t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST /v1/apps/plain/chats/c1/messages HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n%s\r\n\r\n", header)
	return conn
}

func TestBodyArrivesAsWritten(t *testing.T) {
	for _, text := range []string{"hi", "  a\tb\r\n ", strings.Repeat("ä", 32_000), "\u202e<b>&\u2028", `{{.X}} ${y} \u0041`, "😀", "\ufffd"} {
		engine := &fakeEngine{}
		s := newServer(t, nil, withEngine(engine))
		body, err := json.Marshal(map[string]any{"message": text, "idempotencyKey": "k 1", "locale": "de-AT", "interactive": false})
		if err != nil {
			t.Fatal(err)
		}
		if r := s.post("c1", string(body), "Content-Type", "application/json; charset=UTF-8"); r.StatusCode != 200 {
			t.Fatalf("%d: %s", r.StatusCode, r.body)
		}
		cmd := engine.only(t)
		if cmd.Message == nil || *cmd.Message != text || cmd.Answer != nil {
			t.Errorf("message %v", cmd.Message)
		}
		if cmd.IdempotencyKey != "k 1" || cmd.Language != "de-AT" || cmd.Interactive || cmd.Ref.ChatID != "c1" || cmd.Ref.App != "plain" {
			t.Errorf("command %+v", cmd)
		}
	}
}

func TestAnswerArrivesAsWritten(t *testing.T) {
	engine := &fakeEngine{}
	s := newServer(t, nil, withEngine(engine))
	r := s.post("c1", `{"answer":{"toolCallId":"call_1","clarificationId":"clr_1","value":1e400,"note":"n","answers":[{"value":true},{"skipped":true},{"values":["a","b"],"other":"\ud83d\ude00"},null]}}`)
	if r.StatusCode != 200 {
		t.Fatalf("%d: %s", r.StatusCode, r.body)
	}
	cmd := engine.only(t)
	a := cmd.Answer
	if a == nil || a.ToolCallID != "call_1" || a.ClarificationID != "clr_1" || string(a.Value) != "1e400" || a.Note != "n" || !cmd.Interactive {
		t.Fatalf("answer %+v", a)
	}
	if len(a.Answers) != 4 || string(a.Answers[0].Value) != "true" || !a.Answers[1].Skipped || a.Answers[2].Other != "😀" || len(a.Answers[2].Values) != 2 || !reflect.DeepEqual(a.Answers[3], tools.Answer{}) {
		t.Errorf("answers %+v", a.Answers)
	}
}

func TestResultArrivesAsWritten(t *testing.T) {
	for _, result := range []string{`null`, `"a\u003cb"`, `{"a":1,"a":2}`, `{"a": [1.50, 1e400]}`, `false`, `""`} {
		engine := &fakeEngine{}
		s := newServer(t, nil, withEngine(engine))
		if r := s.post("c1", `{"answer":{"toolCallId":"call_1","result":`+result+`}}`); r.StatusCode != 200 {
			t.Fatalf("%d: %s", r.StatusCode, r.body)
		}
		if a := engine.only(t).Answer; string(a.Result) != result || a.Error != "" {
			t.Errorf("%s arrived as %+v", result, a)
		}
	}
	engine := &fakeEngine{}
	s := newServer(t, nil, withEngine(engine))
	s.post("c1", `{"answer":{"clarificationId":"clr_1","error":"no picker"}}`)
	if a := engine.only(t).Answer; a.Error != "no picker" || a.Result != nil {
		t.Errorf("%+v", a)
	}
}

func TestHashIsThatOfTheMeaning(t *testing.T) {
	hashOf := func(body string) string {
		engine := &fakeEngine{}
		s := newServer(t, nil, withEngine(engine))
		if r := s.post("c1", body); r.StatusCode != 200 {
			t.Fatalf("%d: %s", r.StatusCode, r.body)
		}
		return engine.only(t).Hash
	}
	same := hashOf(`{"message":"A","idempotencyKey":"k","locale":"de"}`)
	if hashOf(` { "locale" : "de", "message":"\u0041", "idempotencyKey":"other" } `) != same {
		t.Error("the same request in another notation has another hash")
	}
	several := hashOf(`{"answers":[{"toolCallId":"c","value":"A"},{"toolCallId":"d","value":"B"}]}`)
	if hashOf(`{"answers": [{"value": "A", "toolCallId": "c"}, {"toolCallId":"d","value":"B"}], "idempotencyKey": "k"}`) != several || hashOf(`{"answers":[{"toolCallId":"c","value":"A"},{"toolCallId":"d","value":"C"}]}`) == several {
		t.Error("the hash of several answers does not depend on their meaning alone")
	}
	for _, other := range []string{`{"message":"a","locale":"de"}`, `{"message":"A","locale":"fr"}`, `{"message":"A"}`, `{"answer":{"value":"A"},"locale":"de"}`} {
		if hashOf(other) == same {
			t.Errorf("%s has the same hash", other)
		}
	}
}

func TestMediaType(t *testing.T) {
	s := newServer(t, nil, nil)
	for contentType, status := range map[string]int{
		"application/json": 200, "Application/JSON; Charset=utf-8": 200,
		"": 415, "text/plain": 415, "application/x-www-form-urlencoded": 415, "application/json; charset=latin1": 415, "application/merge-patch+json": 415, "json": 415,
	} {
		if r := s.post("c1", `{"message":"hi"}`, "Content-Type", contentType); r.StatusCode != status {
			t.Errorf("%q: %d, want %d", contentType, r.StatusCode, status)
		}
	}
}

// FuzzMessages: whatever is posted, the response is a stream or a problem, and only a body with
// exactly one message or answer in valid Unicode reaches the engine.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"message":"hi"}`, `{"message":"hi","idempotencyKey":"k","locale":"de","interactive":false}`,
		`{"answer":{"toolCallId":"c","value":"x","note":"n"}}`, `{"answer":{"values":["a"],"other":"c"}}`,
		`{"answer":{"answers":[{"value":1},{"skipped":true},{"declined":true}]}}`, `{"message":"\ud83d\ude00\\u0000"}`,
		`{"message":"\ud800"}`, `{"a":[[[[{}]]]]}`, `[`, "\xff", `{"message":"a" "answer"}`, `{"message":"a",}`, `{"answer":{"result":[]}}`,
		`{"answer":{"toolCallId":"c","result":{"a":[1.50,null,"\u003c"]}}}`, `{"answer":{"result":null}}`, `{"answer":{"value":true,"arguments":{"a":1}}}`, `{"answer":{"error":"no picker","note":"n"}}`,
		`{"answers":[{"toolCallId":"c","value":"a"},{"clarificationId":"clr_1","answers":[{"value":1},{"skipped":true}]}]}`, `{"answers":[{}]}`, `{"answers":[]}`,
	} {
		f.Add([]byte(seed))
	}
	engine := &fakeEngine{}
	a, _, log := newAPI(f, nil, withEngine(engine))
	handler := a.Handler()
	f.Fuzz(func(t *testing.T, body []byte) {
		engine.commands = nil
		log.Reset()
		r := httptest.NewRequest(http.MethodPost, "/v1/apps/plain/chats/c1/messages", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		switch w.Code {
		case 200:
			if len(engine.commands) != 1 {
				t.Fatalf("%d commands", len(engine.commands))
			}
			cmd := engine.commands[0]
			if n := len(cmd.Answers); n > 128 || (cmd.Message == nil) == (cmd.Answer == nil && n == 0) || cmd.Answer != nil && n > 0 {
				t.Fatal("not exactly one of message, answer and answers")
			}
			for _, a := range cmd.Answers {
				if a.ToolCallID == "" && a.ClarificationID == "" {
					t.Fatal("an answer to several questions that names none")
				}
			}
			if cmd.Message != nil {
				var want struct{ Message string }
				if err := json.Unmarshal(body, &want); err != nil || want.Message != *cmd.Message || strings.ContainsRune(*cmd.Message, 0) || !utf8.ValidString(*cmd.Message) {
					t.Fatalf("%q read as %q", body, *cmd.Message)
				}
			}
		case 400, 413, 422:
			var p problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Code == "" || p.Status != w.Code || len(p.Field) > 2000 {
				t.Fatalf("%v: %s", err, w.Body)
			}
			if len(engine.commands) != 0 {
				t.Fatal("a refused body reached the engine")
			}
		default:
			t.Fatalf("status %d for %q", w.Code, body)
		}
	})
}
