package httptool_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/httptool"
)

func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

func run(t *testing.T, o httptool.Options, arguments string) (string, *tools.Error) {
	t.Helper()
	out, err := tool(t, o).Run(t.Context(), tools.Call{Arguments: arguments})
	if err == nil {
		return out.Result, nil
	}
	var told *tools.Error
	if !errors.As(err, &told) {
		t.Fatalf("an error that the model cannot read: %v", err)
	}
	return out.Result, told
}

func TestRequestsAreWhatTheAdminWroteAndTheModelFilledIn(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s auth=%s type=%s accept=%s body=%s", r.Method, r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), r.Header.Get("Accept"), body)
	})
	const accept = "application/json, text/*;q=0.9, */*;q=0.1"
	for _, c := range []struct {
		o               httptool.Options
		arguments, want string
	}{
		{httptool.Options{URL: "/v1/{term}?lang={lang}", Headers: map[string]string{"Authorization": "Token x"}}, `{"term":"a/b","lang":"de","max":3}`,
			"GET /v1/a%2Fb?lang=de&max=3 auth=Token x type= accept=" + accept + " body="},
		{httptool.Options{Method: "POST", URL: "/v1/{term}"}, `{"term":"a","note":"<ü>"}`,
			"POST /v1/a auth= type=application/json accept=" + accept + ` body={"note":"<ü>"}`},
		{httptool.Options{Method: "PUT", URL: "/{id}"}, ` {"z":"\u202e\u0041", "id": 7, "n" : [9007199254740993.0, 1e2], "a":{"y":1,"b":"<"}}`,
			"PUT /7 auth= type=application/json accept=" + accept + ` body={"z":"\u202e\u0041","n":[9007199254740993.0,1e2],"a":{"y":1,"b":"<"}}`}, // unchanged, as allowed
		{httptool.Options{Method: "PATCH", URL: "/", Headers: map[string]string{"Content-Type": "application/merge-patch+json", "Accept": "text/csv"}}, `{"a":1}`,
			`PATCH / auth= type=application/merge-patch+json accept=text/csv body={"a":1}`},
		{httptool.Options{Method: "DELETE", URL: "/{id}"}, `{"id":7}`, "DELETE /7 auth= type= accept=" + accept + " body="},
	} {
		c.o.URL = url + c.o.URL
		if got, told := run(t, c.o, c.arguments); told != nil || got != c.want {
			t.Errorf("got  %s %v\nwant %s", got, told, c.want)
		}
	}
}

func TestArgumentsWithoutAPlaceAreRefusedBeforeAnythingIsSent(t *testing.T) {
	url := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("sent") })
	if _, told := run(t, httptool.Options{URL: url + "/v1/{term}"}, `{"term":".."}`); told == nil || told.Code != tools.CodeInvalidArguments {
		t.Errorf("%v", told)
	}
}

func TestStatusesAreTold(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		fmt.Sscanf(r.URL.Path, "/%d", &status)
		if status == 302 {
			w.Header().Set("Location", "http://169.254.169.254/")
		}
		if status == 429 {
			w.Header().Set("Retry-After", "7")
		}
		w.WriteHeader(status)
		if status == 422 {
			io.WriteString(w, strings.Repeat("long\xff", 10_000))
		} else if status != 204 {
			io.WriteString(w, ` {"message": "no such term"} `)
		}
	})
	for status, want := range map[int]string{
		302: `HTTP 302 Found. The server redirects, which is not followed. The server says: {"message": "no such term"}`,
		404: `HTTP 404 Not Found. The server says: {"message": "no such term"}`,
		429: `HTTP 429 Too Many Requests. You can try again in 7 s. The server says: {"message": "no such term"}`,
		401: `HTTP 401 Unauthorized. The server says: {"message": "no such term"}`,
		500: `HTTP 500 Internal Server Error. The server says: {"message": "no such term"}`,
		599: `HTTP 599. The server says: {"message": "no such term"}`,
	} {
		_, told := run(t, httptool.Options{Method: "POST", URL: fmt.Sprintf("%s/%d", url, status)}, `{}`)
		if told == nil || told.Code != tools.CodeHTTPError || told.Message != want {
			t.Errorf("%d: %+v", status, told)
			continue
		}
		if operators := status == 401 || status >= 500; (told.Cause != "") != operators || operators && told.Cause != fmt.Sprintf("HTTP %d", status) {
			t.Errorf("%d: the log says %v", status, told.Cause)
		}
		if told.Status != status {
			t.Errorf("%d: Status is %d", status, told.Status)
		}
	}
	for status, rejected := range map[int]bool{302: false, 400: true, 401: false, 403: false, 404: true, 408: false, 409: true, 422: true, 429: false, 451: true, 500: false, 503: false} {
		if _, told := run(t, httptool.Options{Method: "POST", URL: fmt.Sprintf("%s/%d", url, status)}, `{}`); told == nil || told.Rejected != rejected {
			t.Errorf("%d: %+v", status, told)
		}
	}
	if _, told := run(t, httptool.Options{URL: url + "/422"}, `{}`); told == nil || len(told.Message) > 5000 || !utf8.ValidString(told.Message) {
		t.Errorf("%+v", told)
	}
	if got, told := run(t, httptool.Options{URL: url + "/204"}, `{}`); got != "" || told != nil {
		t.Errorf("%q %v", got, told)
	}
}

func TestResultsAreTextOfSixtyFourKiB(t *testing.T) {
	long := strings.Repeat("x", 64<<10-1) + "ü" + strings.Repeat("y", 1<<20)
	bodies := map[string]struct{ media, body, want string }{
		"json":              {"application/json", `{"a":1}`, `{"a":1}`},
		"own json":          {"application/vnd.terms+json; charset=utf-8", `{}`, `{}`},
		"latin":             {"text/plain", "caf\xe9", "caf\ufffd"},
		"cut":               {"text/plain", long, strings.Repeat("x", 64<<10-1)},
		"cut, unknown type": {"application/x-terms", long, strings.Repeat("x", 64<<10-1)},
		"exact":             {"text/plain", strings.Repeat("ü", 32<<10), strings.Repeat("ü", 32<<10)},
		"growing":           {"text/plain", strings.Repeat("\xff1", 32<<10), strings.Repeat("\ufffd1", 16<<10)},
		"text of no type":   {"application/octet-stream", "plain", "plain"},
		"empty image":       {"image/png", "", ""},
		"vector image":      {"image/svg+xml", "<svg/>", "<svg/>"},
		"image":             {"image/png", "\x89PNG\r\n", "error"},
		"image of text":     {"image/png", "abc", "error"},
		"zip":               {"application/zip", "PK\x03\x04\x00\x00", "error"},
		"zip of no type":    {"", "PK\x03\x04\xff\x00", "error"},
		"coded":             {"text/plain", "zstd", "error"},
		"unreadable type":   {"text; ;", "plain", "plain"},
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b := bodies[r.URL.Query().Get("name")]
		w.Header()["Content-Type"] = nil
		if b.media != "" {
			w.Header().Set("Content-Type", b.media)
		}
		if b.body == "zstd" {
			w.Header().Set("Content-Encoding", "zstd")
		}
		io.WriteString(w, b.body)
	})
	for name, b := range bodies {
		got, told := run(t, httptool.Options{URL: url}, fmt.Sprintf(`{"name":%q}`, name))
		switch {
		case b.want == "error" && (told == nil || told.Code != tools.CodeToolFailed || !strings.Contains(told.Message, "is not text")):
			t.Errorf("%s: %.100q %v", name, got, told)
		case b.want != "error" && (told != nil || got != b.want):
			t.Errorf("%s: %d bytes %.100q %v", name, len(got), got, told)
		}
	}
}

// A response that is small on the wire and large when decompressed is bounded like any other.
func TestCompressedResultsAreBounded(t *testing.T) {
	var sent atomic.Int64
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		z := gzip.NewWriter(w)
		for range 1 << 10 {
			if _, err := io.WriteString(z, strings.Repeat("0", 1<<20)); err != nil {
				break
			}
			sent.Add(1)
		}
		z.Close()
	})
	if got, told := run(t, httptool.Options{URL: url}, `{}`); told != nil || got != strings.Repeat("0", 64<<10) {
		t.Errorf("%d bytes %v", len(got), told)
	}
}

// A reader of lists gets more than a model, up to its own limit; secrets are removed.
func TestCallersMayTakeLongerResults(t *testing.T) {
	const secret = "s3cr3t-token"
	body := strings.Repeat("x", 300<<10) + secret + strings.Repeat("y", 300<<10)
	tool, err := httptool.New(httptool.Options{
		Method: "GET", Timeout: time.Minute, Headers: map[string]string{"X-Key": secret}, Secrets: []string{secret},
		URL: serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }),
	})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Repeat("x", 300<<10) + "[secret]" + strings.Repeat("y", 300<<10)
	for most, want := range map[int]int{0: 64 << 10, 400 << 10: 400 << 10, 1 << 20: len(all)} {
		out, err := tool.Run(t.Context(), tools.Call{MaxResult: most})
		// In a long one, some bytes at the end may be the beginning of a secret.
		if err != nil || !strings.HasPrefix(all, out.Result) || len(out.Result) > want || len(out.Result) < want-2*len(secret) {
			t.Errorf("%d: %d bytes, want %d, %v", most, len(out.Result), want, err)
		}
	}
}

func TestSecretsAreNotEchoed(t *testing.T) {
	const bearer, basic, key = `Bearer s3cr3t/"token"&+ü`, "Basic YWxpY2U6aHVudGVyMi1sb25n", "k-12345678"
	headers := map[string]string{"Authorization": bearer, "Proxy-Authorization": basic, "X-Key": key, "X-Version": "1"}
	secrets := []string{bearer, basic, key, "1"}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("fail") != "" {
			w.WriteHeader(http.StatusForbidden)
		}
		pad := 64<<10 - len(key)/2
		if r.URL.Query().Get("cut") != "" {
			io.WriteString(w, strings.Repeat(".", pad))
		}
		for _, secret := range []string{key, bearer, basic} {
			_, token, _ := strings.Cut(secret, " ")
			fmt.Fprintf(w, `%s %q %q `, secret, token, r.Header)
		}
		io.WriteString(w, `s3cr3t\/\"token\"\u0026+ü s3cr3t%2F%22token%22%26%2B%C3%BC alice:hunter2-long hunter2-long version 1 `)
	})
	for _, arguments := range []string{`{}`, `{"fail":true}`, `{"cut":true}`} {
		got, told := run(t, httptool.Options{URL: url, Headers: headers, Secrets: secrets}, arguments)
		if told != nil {
			got += told.Message + told.Cause
		}
		for _, secret := range []string{"s3cr3t", "YWxpY2U6", "hunter2", "k-12", "12345678"} {
			if strings.Contains(got, secret) {
				t.Errorf("%s: %q is shown: %q", arguments, secret, strings.Trim(got, "."))
			}
		}
		if arguments == `{}` && (!strings.Contains(got, "[secret]") || !strings.Contains(got, "version 1")) {
			t.Errorf("too much or too little is removed: %s", got)
		}
	}
}

// sequence responds with one status after another; 0 breaks the connection.
func sequence(t *testing.T, statuses ...int) (url string, asked *atomic.Int64) {
	asked = new(atomic.Int64)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n := int(asked.Add(1))
		if n > len(statuses) {
			n = len(statuses)
		}
		switch status := statuses[n-1]; status {
		case 0:
			panic(http.ErrAbortHandler)
		case -1: // in the middle of the body
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(status)
			fmt.Fprintf(w, "%s after %d", body, n)
		}
	}), asked
}

func TestCallsThatMayBeRepeatedAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method   string
		statuses []int
		asked    int64
		want     string // of the result; "" is an error
	}{
		{"GET", []int{503, 502, 200}, 3, " after 3"},
		{"GET", []int{-1, 504, 200}, 3, " after 3"},
		{"PUT", []int{503, 200}, 2, "{} after 2"},
		{"DELETE", []int{0, 200}, 2, " after 2"},
		{"GET", []int{503}, 3, ""},
		{"GET", []int{500}, 1, ""},
		{"GET", []int{429}, 1, ""},
		{"GET", []int{404}, 1, ""},
		{"POST", []int{503, 200}, 1, ""},
		{"POST", []int{0, 200}, 1, ""},
		{"PATCH", []int{502, 200}, 1, ""},
	} {
		url, asked := sequence(t, c.statuses...)
		o := httptool.Options{Method: c.method, URL: url}
		got, told := run(t, o, `{}`)
		if got != c.want || (told == nil) != (c.want != "") || asked.Load() != c.asked {
			t.Errorf("%s %v: %q %v, %d requests", c.method, c.statuses, got, told, asked.Load())
		}
		o.Once = true
		url, asked = sequence(t, c.statuses...)
		if o.URL = url; tool(t, o).Repeatable(tools.Call{}) {
			t.Errorf("%s, once: may be repeated", c.method)
		}
		if run(t, o, `{}`); asked.Load() != 1 {
			t.Errorf("%s %v, once: %d requests", c.method, c.statuses, asked.Load())
		}
		o.Once = false
		if repeatable := c.method == "GET" || c.method == "PUT" || c.method == "DELETE"; tool(t, o).Repeatable(tools.Call{}) != repeatable {
			t.Errorf("%s: repeatable is %v", c.method, !repeatable)
		}
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	_, told := run(t, httptool.Options{URL: "http://" + address + "/v1/{q}?key=private"}, `{"q":"what the user asked"}`)
	if told == nil || told.Code != tools.CodeToolFailed || told.Cause == "" || !strings.Contains(told.Cause, address) {
		t.Fatalf("%+v", told)
	}
	for _, text := range []string{told.Message, told.Cause} {
		if strings.Contains(text, "private") || strings.Contains(text, "user") {
			t.Errorf("shows what was asked: %s", text)
		}
	}
}

// A response that is not HTTP is not quoted in the log: it may contain anything.
func TestAnswersThatAreNoHTTP(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			io.WriteString(conn, "SSH-2.0-s3cr3t\r\n")
			conn.Close()
		}
	}()
	_, told := run(t, httptool.Options{Method: "POST", URL: "http://" + listener.Addr().String()}, `{}`)
	if told == nil || told.Code != tools.CodeToolFailed || strings.Contains(told.Message+told.Cause, "s3cr3t") {
		t.Errorf("%+v", told)
	}
}

// roundTrip responds without a network, so that a test can run in virtual time.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestWaitsBetweenAttempts(t *testing.T) {
	for name, c := range map[string]struct {
		retryAfter func() string
		atLeast    time.Duration
		atMost     time.Duration
		asked      int
	}{
		"backoff":            {func() string { return "" }, 375 * time.Millisecond, 750 * time.Millisecond, 3},
		"seconds":            {func() string { return "2" }, 4 * time.Second, 4 * time.Second, 3},
		"date":               {func() string { return time.Now().Add(3 * time.Second).UTC().Format(http.TimeFormat) }, 6 * time.Second, 6 * time.Second, 3},
		"longer than it may": {func() string { return "3600" }, 0, 0, 1},
		"nonsense":           {func() string { return "-1" }, 375 * time.Millisecond, 750 * time.Millisecond, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				made := tool(t, httptool.Options{URL: "http://h/", Timeout: 10 * time.Second})
				asked := 0
				made.Through(roundTrip(func(r *http.Request) (*http.Response, error) {
					asked++
					return &http.Response{
						StatusCode: 503, Header: http.Header{"Retry-After": {c.retryAfter()}}, Body: http.NoBody, Request: r,
					}, nil
				}))
				ctx, cancel := context.WithTimeout(t.Context(), made.Timeout())
				defer cancel()
				begin := time.Now()
				_, err := made.Run(ctx, tools.Call{})
				took := time.Since(begin)
				var told *tools.Error
				if !errors.As(err, &told) || told.Code != tools.CodeHTTPError || asked != c.asked || took < c.atLeast || took > c.atMost {
					t.Errorf("%d requests in %s: %v", asked, took, err)
				}
			})
		})
	}
}

func TestTheCallsTimeCountsAllAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := tool(t, httptool.Options{URL: "http://h/", Timeout: 5 * time.Second})
		made.Through(roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}))
		ctx, cancel := context.WithTimeout(t.Context(), made.Timeout())
		defer cancel()
		begin := time.Now()
		if _, err := made.Run(ctx, tools.Call{}); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 5*time.Second {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := made.Run(ctx, tools.Call{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func FuzzRedact(f *testing.F) {
	f.Add("Bearer 12345678", "x", "y")
	f.Add("12345678", "1234", "5678")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		if len(secret) < 8 {
			return
		}
		got := httptool.Redact(before+secret+after, secret)
		for part := range strings.SplitSeq(got, "[secret]") {
			if strings.Contains(part, secret) {
				t.Errorf("%q in %q", secret, got)
			}
		}
	})
}
