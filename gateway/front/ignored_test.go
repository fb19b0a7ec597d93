package front_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/askgate/askgate/gateway/front"
)

func TestIgnoredNamesWhatIsAskedFor(t *testing.T) {
	fields := []front.Field{{Name: "temperature", Default: "1"}, {Name: "choice", Default: `"auto" "none"`}, front.SystemIn("messages")}
	for body, want := range map[string]string{
		`{}`: "",
		`{"temperature": 1.0, "choice": "none", "messages": []}`:                                              "",
		`{"temperature": null, "choice": "", "messages": [{"role": "user"}, 7, {"role": 7}]}`:                 "",
		`{"temperature": 0, "choice": {}, "messages": [{"role": "developer"}, {"role": "system"}]}`:           "temperature, system",
		`{"temperature": "a,b\n", "choice": {"type": "x"}, "other": true, "messages": {"role": "developer"}}`: "temperature, choice",
		`{"choice": [ ], "temperature": { }}`:                                                                 "",
	} {
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &members); err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		front.Ignored(h, members, fields)
		if got := h.Get(front.IgnoredHeader); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	h := http.Header{}
	front.Used(h, "a")
	front.Ignore(h, "a")
	front.Ignore(h, "b")
	front.Ignore(h, "a")
	if front.Used(h, "b"); h.Get(front.IgnoredHeader) != "a" {
		t.Errorf("%q", h.Get(front.IgnoredHeader))
	}
	if front.Used(h, "a"); h.Values(front.IgnoredHeader) != nil {
		t.Errorf("%q", h)
	}
}
