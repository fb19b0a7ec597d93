package mcptool_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

func TestPartsOfResultsReachPeopleAsTheyCame(t *testing.T) {
	picture := []byte("\x89PNG\r\n\x1a\n not really")
	held := base64.StdEncoding.EncodeToString(picture)
	type want struct {
		part, media string
		size        int
	}
	for name, c := range map[string]struct {
		parts string
		want  []want
	}{
		"texts alone": {`{"type":"text","text":"a"},{"type":"text","text":"b"}`, nil},
		"picture": {
			`{"type":"text","text":"Look:"},{"type":"image","mimeType":"image/png","data":"` + held + `","annotations":{"audience":["user"]}}`,
			[]want{{`{"text":"Look:","type":"text"}`, "", 0}, {`{"annotations":{"audience":["user"]},"mimeType":"image/png","type":"image"}`, "image/png", len(picture)}},
		},
		"sound": {`{"type":"audio","mimeType":"audio/wav","data":"` + held + `"}`, []want{{`{"mimeType":"audio/wav","type":"audio"}`, "audio/wav", len(picture)}}},
		"link": {
			`{"type":"resource_link","uri":"https://example.org/a?b","name":"a","title":"A","description":"d","mimeType":"text/html","size":7,"_meta":{"k":1}}`,
			[]want{{`{"_meta":{"k":1},"description":"d","mimeType":"text/html","name":"a","size":7,"title":"A","type":"resource_link","uri":"https://example.org/a?b"}`, "", 0}},
		},
		"resource with a text": {
			`{"type":"resource","resource":{"uri":"x:y","mimeType":"text/plain","text":"inside"}}`,
			[]want{{`{"resource":{"mimeType":"text/plain","text":"inside","uri":"x:y"},"type":"resource"}`, "", 0}},
		},
		"resource with bytes": {
			`{"type":"resource","resource":{"uri":"x:y","mimeType":"application/pdf","blob":"` + held + `"}}`,
			[]want{{`{"resource":{"mimeType":"application/pdf","uri":"x:y"},"type":"resource"}`, "application/pdf", len(picture)}},
		},
		"no type": {
			`{"type":"image","mimeType":"image/png\r\nSet-Cookie: a=b","data":"` + held + `"}`,
			[]want{{`{"mimeType":"image/png\r\nSet-Cookie: a=b","type":"image"}`, "application/octet-stream", len(picture)}},
		},
		"secret and what deceives": {
			`{"type":"resource_link","uri":"https://x.example/hunter2hunter2","name":"a\u202eb\u0000"}`,
			[]want{{`{"name":"ab","type":"resource_link","uri":"https://x.example/[secret]"}`, "", 0}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := raw(t, `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`, `{"content":[`+c.parts+`]}`)
			out := use(t, mcptool.Options{URL: url, Secrets: []string{"hunter2hunter2"}}).call(t, call)
			if out.Error != nil || strings.Contains(out.Result, held) {
				t.Fatalf("the model reads %s, %v", out.Result, out.Error)
			}
			var got []want
			for _, p := range out.Content {
				got = append(got, want{string(p.Part), p.Media, p.Size})
				if p.Size > 0 && !bytes.Equal(p.Bytes, picture) {
					t.Errorf("the bytes are %q", p.Bytes)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("shown\n%v, want\n%v", got, c.want)
			}
		})
	}
}

func TestOfTooMuchIsShownWhatThereIsRoomFor(t *testing.T) {
	var links []string
	for i := range 200 {
		links = append(links, fmt.Sprintf(`{"type":"resource_link","uri":"https://x.example/%d","name":"n"}`, i))
	}
	list := `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
	out := use(t, mcptool.Options{URL: raw(t, list, `{"content":[`+strings.Join(links, ",")+`]}`)}).call(t, call)
	if len(out.Content) != tools.MaxParts {
		t.Errorf("%d parts", len(out.Content))
	}
	long := `{"type":"resource_link","uri":"https://x.example/","name":"` + strings.Repeat("x", 60<<10) + `"}`
	out = use(t, mcptool.Options{URL: raw(t, list, `{"content":[`+strings.Join([]string{long, long, long, links[0]}, ",")+`]}`)}).call(t, call)
	if len(out.Content) != 3 || len(out.Content[2].Part) > 100 {
		t.Errorf("%d parts", len(out.Content))
	}
	// A program may send more at once than a server over HTTP.
	out = stdio(t).call(t, tools.Call{Name: "s__pictures"})
	if len(out.Content) != 3 {
		t.Fatalf("%d parts, %v", len(out.Content), out.Error)
	}
	for i, there := range []bool{true, false, true} {
		if p := out.Content[i]; (p.Bytes != nil) != there || p.Size == 0 {
			t.Errorf("part %d: %d of %d bytes", i, len(p.Bytes), p.Size)
		}
	}
}

// pictures contains three, of which the first two together are too large.
func pictures() *mcp.CallToolResult {
	r := &mcp.CallToolResult{}
	for _, megabytes := range []int{5, 4, 2} {
		r.Content = append(r.Content, &mcp.ImageContent{MIMEType: "image/png", Data: make([]byte, megabytes<<20)})
	}
	return r
}

// Whatever parts a server sends: the shown form is JSON within its limits, without bytes and
// secrets, and its type is valid in a header.
func FuzzContent(f *testing.F) {
	for _, s := range []string{
		`[{"type":"image","mimeType":"image/png","data":"aGFsbG8="}]`, `[{"type":"resource","resource":{"uri":"x","blob":"aGFsbG8=","_meta":{"blob":"x"}}}]`,
		`[{"type":"resource_link","uri":"javascript:alert(1)","name":"hunter2hunter2","icons":[{"src":"x"}]}]`, `[{"type":"audio","mimeType":"a/b; c=\"d\\\"e\"","data":""}]`,
		`[{"type":"text","text":"x"},{"type":"resource"}]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, parts []byte) {
		for _, p := range mcptool.Shown([]byte(`{"content":`+string(parts)+`}`), "hunter2hunter2") {
			if len(p.Part) > tools.MaxPartsJSON || !json.Valid(p.Part) || strings.Contains(string(p.Part), "hunter2hunter2") || strings.ContainsAny(p.Media, "\r\n\x00") || (p.Size > 0) != (p.Media != "") {
				t.Fatalf("%s %q %d", p.Part, p.Media, p.Size)
			}
		}
	})
}

// Whatever message arrives: the part that is kept has the same meaning, and is unchanged if the
// message asks nothing.
func FuzzKept(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"properties":{"b":{},"a":{}}}}}`,
		`{"id":1,"result":{"inputRequests":{"q":{"method":"elicitation/create","params":{"requestedSchema":{"type":"object"}}}}}}`,
		`{"result":{"content":[{"text":"\"requestedSchema\""}]}}`, `{"params":[{"requestedSchema":{}}]}`, `"requestedSchema"`, `{"params":{"requestedSchema":[]}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		kept := mcptool.Kept(message)
		if json.Valid(message) != json.Valid(kept) {
			t.Fatalf("%s becomes %s", message, kept)
		}
		if again := mcptool.Kept(kept); json.Valid(message) && !sameJSON(again, kept) {
			t.Fatalf("%s becomes %s, and then %s", message, kept, again)
		}
	})
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return bytes.Equal(a, b)
	}
	one, _ := json.Marshal(x)
	other, _ := json.Marshal(y)
	return bytes.Equal(one, other)
}
