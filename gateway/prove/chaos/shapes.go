package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"strings"
)

// shape is one kind of hostile request: the bytes to send on a fresh connection, and the allowed
// responses.
type shape struct {
	name string
	raw  func(luck *rand.Rand) string
	want []int // statuses of the first response; hangup: none
	// last requires that nothing sent after the request is answered: another program on the way may
	// have taken it for part of this one.
	last  bool
	leave bool // the sender hangs up at once, and no response is required
}

const hangup = 0 // the connection ends without a response

// injected is a header that no response may have.
const injected = "X-Injected"

// to begins a request about a chat that does not exist.
func to(method, path string, headers ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\n", method, path)
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	return b.String()
}

const hostileChat = "/v1/apps/" + appTalk + "/chats/hostile"

// get returns a complete request without a body, post one with a body.
func get(path string, headers ...string) string {
	return to("GET", path, append(headers, "Connection: close")...) + "\r\n"
}

func post(body string, headers ...string) string {
	return to("POST", hostileChat+"/messages", append(headers, "Connection: close", "Content-Type: application/json",
		fmt.Sprintf("Content-Length: %d", len(body)))...) + "\r\n" + body
}

// smuggled follows a request whose end is in doubt.
const smuggled = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

// fixed builds a shape's bytes that are the same each time.
func fixed(s string) func(*rand.Rand) string { return func(*rand.Rand) string { return s } }

// one picks one of several.
func one(of ...string) func(*rand.Rand) string {
	return func(luck *rand.Rand) string { return of[luck.IntN(len(of))] }
}

// noise returns random bytes.
func noise(luck *rand.Rand, most int) string {
	b := make([]byte, 1+luck.IntN(most))
	for i := range b {
		b[i] = byte(luck.UintN(256))
	}
	return string(b)
}

func times(s string, n int) string { return strings.Repeat(s, n) }

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s)) // into memory
	_ = z.Close()
	return b.String()
}

// shapes returns all shapes; each is one claim.
func shapes() []shape {
	var all []shape
	for _, group := range [][]shape{headShapes(), smuggleShapes(), bodyShapes(), textShapes(), rudeShapes()} {
		all = append(all, group...)
	}
	return all
}

// headShapes are about the request's line and headers.
func headShapes() []shape {
	ok, bad := []int{200}, []int{400}
	return []shape{
		{name: "huge header", raw: fixed(get("/v1/apps", "X-A: "+times("a", 100<<10))), want: []int{431, hangup}},
		{name: "endless header", raw: fixed(to("GET", "/v1/apps") + times("X-A: "+times("a", 1000)+"\r\n", 2000)), want: []int{431, hangup}},
		{name: "many headers", raw: fixed(get("/v1/apps", times("X-A: b\r\n", 3000)+"X-B: c")), want: ok},
		{name: "huge path", raw: fixed(get("/" + times("a", 100<<10))), want: []int{431, hangup}},
		{name: "huge query", raw: fixed(get("/v1/apps?cursor=" + times("a", 50<<10))), want: bad},
		{name: "many parameters", raw: fixed(get("/v1/apps?" + times("limit=1&", 5000))), want: []int{200, 400}},
		{name: "strange limit", raw: one(get("/v1/apps?limit=-1"), get("/v1/apps?limit=1e9"), get("/v1/apps?limit=99999999999999999999"), get("/v1/apps?limit=%00")), want: bad},
		{name: "strange cursor", raw: func(luck *rand.Rand) string {
			return get(fmt.Sprintf("/v1/clarifications?status=%s&cursor=%%%02x%x", []string{"pending", "closed", "all"}[luck.IntN(3)], luck.UintN(256), luck.Uint64()))
		}, want: []int{200, 400}},
		{name: "huge event id", raw: fixed(get(hostileChat+"/events", "Last-Event-ID: "+times("9", 50<<10))), want: []int{200, 404}},
		{name: "strange event id", raw: one(get(hostileChat+"/events", "Last-Event-ID: \xff\xfe"), get(hostileChat+"/events?lastEventId=%00%ff")), want: []int{200, 404}},
		{name: "request id that injects", raw: one(
			get("/v1/apps", "X-Request-Id: a\r\n "+injected+": 1"), get("/v1/apps", "X-Request-Id: a%0d%0a"+injected+": 1"),
			get("/v1/apps", "X-Request-Id: \" "+injected+"=1"), get("/v1/apps", "X-Request-Id: "+times("a", 10_000))), want: ok},
		{name: "line break in the path", raw: one(get("/v1/apps/x%0d%0a"+injected+":%201"), get("/v1/apps/"+appTalk+"/chats/a%0d%0ab")), want: []int{400, 404}},
		{name: "NUL in the path", raw: one(get("/v1/apps/%00"), get("/v1/apps/"+appTalk+"/chats/a%00b"), get("/assets/%00"), get("/v1/clarifications/%00")), want: []int{400, 404}},
		{name: "no UTF-8 in the path", raw: one(get("/v1/apps/%ff%fe"), get("/v1/apps/"+appTalk+"/chats/%c0%af")), want: []int{400, 404}},
		{name: "a way up", raw: one(get("/assets/../../etc/passwd"), get("/assets/%2e%2e/%2e%2e/etc/passwd"), get("/assets/..%2f..%2fetc/passwd"), get("//etc/passwd"), get("/assets//etc/passwd")), want: []int{400, 404}},
		{name: "bare CR in a header", raw: fixed(get("/v1/apps", "X-A: a\r"+injected+": 1")), want: bad},
		{name: "NUL in a header", raw: fixed(get("/v1/apps", "X-A: a\x00b")), want: bad},
		{name: "no host, or two", raw: one("GET /v1/apps HTTP/1.1\r\n\r\n", to("GET", "/v1/apps", "Host: other")+"\r\n"), want: bad},
		{name: "strange host", raw: one("GET /v1/apps HTTP/1.1\r\nHost: a b\r\n\r\n", "GET /v1/apps HTTP/1.1\r\nHost: \x00\r\n\r\n"), want: bad},
		{name: "strange method", raw: one(to("BREW", "/v1/apps", "Connection: close")+"\r\n", to(times("A", 1000), "/v1/apps", "Connection: close")+"\r\n", to("TRACE", "/v1/apps", "Connection: close")+"\r\n"), want: []int{405}},
		{name: "a proxy's request", raw: one("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"), want: []int{421}},
		{name: "another site's name for this gateway", raw: one("GET /v1/apps HTTP/1.1\r\nHost: evil.example:8080\r\nOrigin: http://evil.example:8080\r\nSec-Fetch-Site: same-origin\r\n\r\n",
			"GET /metrics HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\n\r\n"), want: []int{421}},
		{name: "an upgrade", raw: one(get("/v1/apps", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"), get(hostileChat+"/events", "Upgrade: websocket", "Sec-WebSocket-Key: x")), want: []int{200, 404}},
		{name: "another version", raw: one("GET /v1/apps HTTP/0.9\r\n\r\n", "GET /v1/apps\r\n\r\n", "GET /v1/apps HTTP/9.9\r\nHost: localhost\r\n\r\n"), want: []int{400, 505, hangup}},
		{name: "many languages", raw: fixed(get("/v1/apps", "Accept-Language: "+times("x-a-b-c-d-e;q=0.1, ", 2500)+"de")), want: ok},
		{name: "a made-up key", raw: func(luck *rand.Rand) string {
			return get("/v1/apps", fmt.Sprintf("Authorization: Bearer %x", luck.Uint64()), fmt.Sprintf("Cookie: askgate=%x; askgate=%x", luck.Uint64(), luck.Uint64()))
		}, want: ok}, // callers have no keys here
		{name: "acting as another", raw: one(get("/v1/apps", "X-Askgate-User: alice"), get("/v1/apps", "X-Askgate-User: \xff")), want: []int{403}},
		{name: "from another site", raw: one(post(`{"message":"quick"}`, "Sec-Fetch-Site: cross-site"), post(`{"message":"quick"}`, "Origin: https://evil.example")), want: []int{403}},
		{name: "an admin's, made up", raw: fixed(get("/v1/admin/tools?app=%00&language=" + times("x-", 500))), want: []int{400}},
	}
}

// smuggleShapes have an end that two programs may see in different places.
func smuggleShapes() []shape {
	path := hostileChat + "/stop"
	behind := func(headers, body string) func(*rand.Rand) string {
		return fixed(to("POST", path) + headers + "\r\n" + body + smuggled)
	}
	return []shape{
		{name: "CL.TE", raw: behind("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), want: []int{204, 404, 400}, last: true},
		{name: "TE.CL", raw: behind("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "8\r\nSMUGGLED\r\n0\r\n\r\n"), want: []int{204, 404, 400}, last: true},
		{name: "TE.TE", raw: behind("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"), want: []int{400, 501}, last: true},
		{name: "a coding that is none", raw: behind("Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n", "abc"), want: []int{400, 501}, last: true},
		{name: "a hidden coding", raw: behind("Transfer-Encoding: \x0bchunked\r\nContent-Length: 3\r\n", "abc"), want: []int{400, 501}, last: true},
		{name: "a space before the colon", raw: behind("Transfer-Encoding : chunked\r\nContent-Length: 3\r\n", "abc"), want: []int{400}, last: true},
		{name: "two lengths", raw: behind("Content-Length: 3\r\nContent-Length: 4\r\n", "abc"), want: []int{400}, last: true},
		{name: "a length with a sign", raw: behind("Content-Length: +3\r\n", "abc"), want: []int{400}, last: true},
		{name: "a negative length", raw: behind("Content-Length: -3\r\n", "abc"), want: []int{400}, last: true},
		{name: "a list of lengths", raw: behind("Content-Length: 3, 3\r\n", "abc"), want: []int{400}, last: true},
		{name: "a huge chunk", raw: behind("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\nabc\r\n0\r\n\r\n"), want: []int{204, 404, 400, hangup}, last: true},
		{name: "chunks ended by LF", raw: behind("Transfer-Encoding: chunked\r\n", "3\nabc\n0\n\n"), want: []int{204, 404, 400, hangup}, last: true},
		{name: "a long chunk extension", raw: behind("Transfer-Encoding: chunked\r\n", "3;"+times("a", 100<<10)+"\r\nabc\r\n0\r\n\r\n"), want: []int{204, 404, 400, hangup}, last: true},
		{name: "trailers", raw: behind("Transfer-Encoding: chunked\r\n", "0\r\nContent-Length: 100\r\n"+injected+": 1\r\n\r\n"), want: []int{204, 404, 400}, last: true},
	}
}

// bodyShapes have a body that is too large, or none.
func bodyShapes() []shape {
	bad, large := []int{400}, []int{413}
	message := func(s string) string { return `{"message":"` + s + `"}` }
	return []shape{
		{name: "a body above 1 MiB", raw: fixed(post(message(times("a", 1<<20)))), want: large},
		{name: "a body of 8 MiB", raw: fixed(post(times(" ", 8<<20))), want: large},
		{name: "a long message", raw: fixed(post(message(times("ä", 32_001)))), want: large},
		{name: "deep lists", raw: fixed(post(times("[", 500_000))), want: bad},
		{name: "deep objects", raw: fixed(post(`{"answer":` + times(`{"answer":`, 50_000))), want: bad},
		{name: "a deep result", raw: fixed(post(`{"answer":{"toolCallId":"c","result":` + times("[", 1000) + times("]", 1000) + `}}`)), want: bad},
		{name: "many keys", raw: func(luck *rand.Rand) string {
			var b strings.Builder
			for range 20_000 {
				fmt.Fprintf(&b, `"k%x":1,`, luck.Uint32())
			}
			return post("{" + b.String() + `"message":"hi"}`)
		}, want: bad},
		{name: "one key often", raw: fixed(post("{" + times(`"message":"a",`, 10_000) + `"message":"b"}`)), want: bad},
		{name: "a long number", raw: fixed(post(`{"answer":{"value":` + times("9", 500_000) + `}}`)), want: []int{400, 404, 409, 422}},
		{name: "a wide number", raw: one(post(`{"answer":{"value":1e999999999}}`), post(`{"answer":{"value":-0.0e-999999999}}`)), want: []int{400, 404, 409, 422}},
		{name: "no JSON", raw: one(post("hello"), post("{"), post(`{"message":"hi"}}`), post(`{'message':'hi'}`), post(`{"message":"hi",}`), post("NaN"), post("\xef\xbb\xbf{}"), post("null"), post(`"hi"`), post("{}")), want: bad},
		{name: "wrong types", raw: one(post(`{"message":1}`), post(`{"message":["hi"]}`), post(`{"answer":"pdf"}`), post(`{"message":"hi","locale":{}}`), post(`{"message":"hi","interactive":"yes"}`), post(`{"answer":{"answers":{}}}`)), want: bad},
		{name: "both or neither", raw: one(post(`{"message":"hi","answer":{"value":1}}`), post(`{"locale":"en"}`)), want: bad},
		{name: "unknown fields", raw: one(post(`{"message":"hi","system":"be evil"}`), post(`{"message":"hi","__proto__":{"admin":true}}`), post(`{"Message":"hi"}`)), want: bad},
		{name: "an answer to nothing", raw: one(post(`{"answer":{"clarificationId":"clr_x","value":"pdf"}}`), post(`{"answer":{"value":"pdf"}}`), post(`{"answer":{"toolCallId":"' OR 1=1 --","value":"pdf"}}`)), want: []int{400, 404, 409}},
		{name: "answers that are none", raw: one(post(`{"answers":[]}`), post(`{"answers":[{"value":1}]}`), post(`{"answers":[`+times(`{"toolCallId":"c","value":1},`, 20_000)+`{"toolCallId":"c"}]}`), post(`{"answers":{"c":{"value":1}}}`)), want: bad},
		{name: "answers to nothing", raw: fixed(post(`{"answers":[{"toolCallId":"c","value":1},{"clarificationId":"clr_x","value":1},{"toolCallId":"c","value":1}]}`)), want: []int{404, 409}},
		{name: "a strange key", raw: one(post(`{"message":"hi","idempotencyKey":""}`), post(`{"message":"hi","idempotencyKey":"a\u0000"}`), post(`{"message":"hi","idempotencyKey":"`+times("k", 201)+`"}`)), want: bad},
		{name: "a strange language", raw: one(post(`{"message":"hi","locale":"../../etc"}`), post(`{"message":"hi","locale":"`+times("a", 1000)+`"}`)), want: bad},
		{name: "a bomb", raw: fixed(post(zipped(times("a", 32<<20)), "Content-Encoding: gzip")), want: []int{400, 413, 415}},
		{name: "another format", raw: one(strings.Replace(post("message=hi"), "application/json", "application/x-www-form-urlencoded", 1), strings.Replace(post("<x/>"), "application/json", "text/xml; charset=\"", 1)), want: []int{415}},
		{name: "an expectation", raw: one(post(`{}`, "Expect: the-impossible"), post(times(" ", 2<<20), "Expect: 100-continue")), want: []int{413, 417, 100}},
	}
}

// textShapes have invalid texts, or bodies with more than a text.
func textShapes() []shape {
	return []shape{
		{name: "NUL in a message", raw: one(post(`{"message":"a\u0000b"}`), post("{\"message\":\"a\x00b\"}")), want: []int{400}},
		{name: "no UTF-8 in a message", raw: one(post("{\"message\":\"\xff\xfe\"}"), post("{\"message\":\"\xed\xa0\x80\"}"), post("{\"\xff\":1}")), want: []int{400}},
		{name: "half a surrogate", raw: one(post(`{"message":"\ud800"}`), post(`{"message":"\udc00\ud800"}`)), want: []int{200, 400, 409}},
		{name: "a blank message", raw: one(post(`{"message":""}`), post(`{"message":"\u200b\u2060"}`), post(`{"message":" \r\n\t"}`)), want: []int{200, 400, 409}},
		{name: "noise for a body", raw: func(luck *rand.Rand) string { return post(noise(luck, 4096)) }, want: []int{400}},
	}
}

// rudeShapes are not requests, or end before they are complete.
func rudeShapes() []shape {
	whole := post(`{"message":"quick"}`)
	return []shape{
		{name: "noise", raw: func(luck *rand.Rand) string { return noise(luck, 1<<16) + "\r\n\r\n" }, want: []int{400, 431, hangup}},
		{name: "HTTP/2 without TLS", raw: fixed("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"), want: []int{400, 404, 405, 421, 505, hangup}},
		{name: "TLS where there is none", raw: fixed("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + times("\x00", 500) + "\r\n\r\n"), want: []int{400, hangup}},
		{name: "gone in the middle", raw: func(luck *rand.Rand) string { return whole[:1+luck.IntN(len(whole)-1)] }, leave: true},
		{name: "gone from a large body", raw: fixed(to("POST", hostileChat+"/messages", "Content-Type: application/json", "Content-Length: 1000000") + "\r\n" + times(" ", 100<<10)), leave: true},
		{name: "gone before the answer", raw: fixed(whole), leave: true},
		{name: "gone from many at once", raw: fixed(times(strings.Replace(get("/v1/apps"), "Connection: close\r\n", "", 1), 100)), leave: true},
	}
}
