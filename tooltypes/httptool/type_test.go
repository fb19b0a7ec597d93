package httptool_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tooltypes/clienttool"
	"github.com/askgate/askgate/tooltypes/httptool"
)

var types = []config.ToolType{httptool.Type(), clienttool.Type(nil)}

// Each error is reported at the mark, with what is wrong and how to fix it.
func TestFaultsOfEntries(t *testing.T) {
	for name, c := range map[string]struct {
		entry string
		want  []string
	}{
		"no http":              {`¶{"id": "x", "type": "http"}`, []string{`"http" is missing`}},
		"http elsewhere":       {`{"id": "x", "type": "client", "http": ¶{"url": "http://h"}}`, []string{`requires type "http"`}},
		"no url":               {`{"id": "x", "type": "http", "http": ¶{}}`, []string{`"url" is missing`}},
		"method":               {`{"id": "x", "type": "http", "http": {"method": ¶"get", "url": "http://h"}}`, []string{`"GET"`}},
		"scheme":               {`{"id": "x", "type": "http", "http": {"url": ¶"ftp://h"}}`, []string{"not an address"}},
		"placeholder in host":  {`{"id": "x", "type": "http", "http": {"url": ¶"http://{h}/x"}}`, []string{"path and query only"}},
		"placeholder scheme":   {`{"id": "x", "type": "http", "http": {"url": ¶"{s}://h/x"}}`, []string{"path and query only"}},
		"placeholder unknown":  {`{"id": "x", "type": "http", "parameters": {"properties": {"term": {}}}, "http": {"url": ¶"http://h/{trem}"}}`, []string{"{trem} is not a parameter", `"term"`}},
		"brace":                {`{"id": "x", "type": "http", "http": {"url": ¶"http://h/{a b}"}}`, []string{"%7B"}},
		"placeholder for key":  {`{"id": "x", "type": "http", "parameters": {"properties": {"k": {}}}, "http": {"url": ¶"http://h/?{k}=1"}}`, []string{"key={name}"}},
		"user in address":      {`{"id": "x", "type": "http", "http": {"url": ¶"http://u:secret@h/"}}`, []string{`"Authorization"`}},
		"octal address":        {`{"id": "x", "type": "http", "http": {"url": ¶"http://0177.0.0.1/"}}`, []string{"decimal"}},
		"decimal address":      {`{"id": "x", "type": "http", "http": {"url": ¶"http://2130706433/"}}`, []string{"decimal"}},
		"hexadecimal address":  {`{"id": "x", "type": "http", "http": {"url": ¶"http://0x7F.1/"}}`, []string{"decimal"}},
		"host of other script": {`{"id": "x", "type": "http", "http": {"url": ¶"http://bücher.example/"}}`, []string{"xn--"}},
		"port":                 {`{"id": "x", "type": "http", "http": {"url": ¶"http://h:65536/"}}`, []string{"65535"}},
		"no port":              {`{"id": "x", "type": "http", "http": {"url": ¶"http://h:/"}}`, []string{"65535"}},
		"space in address":     {`{"id": "x", "type": "http", "http": {"url": ¶"http://h/a b"}}`, []string{"percent-encode"}},
		"percent in address":   {`{"id": "x", "type": "http", "http": {"url": ¶"http://h/%zz"}}`, []string{"percent-encode"}},
		"fragment":             {`{"id": "x", "type": "http", "http": {"url": ¶"http://h/#x"}}`, []string{"not contain #"}},
		"header name":          {`{"id": "x", "type": "http", "http": {"url": "http://h", "headers": {¶"X Y": "1"}}}`, []string{"HTTP header"}},
		"header of connection": {`{"id": "x", "type": "http", "http": {"url": "http://h", "headers": {¶"Host": "1"}}}`, []string{"by the gateway itself"}},
	} {
		t.Run(name, func(t *testing.T) {
			configtest.Faulty(t, configtest.Tools(c.entry), nil, types, c.want...)
		})
	}
}

// Text in the file is not a secret; values from the environment are.
func TestSecretsOfHeaders(t *testing.T) {
	s, err := configtest.Load(t, configtest.Tools(`{"id": "x", "type": "http", "http": {"url": "http://h", "allowPrivate": true,
		"headers": {"X-Key": "$KEY", "Accept": "text/plain", "X-Price": "$$KEY"}}}`), configtest.Env{"KEY": "k-1"}, types...)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := s.Tool("assistant", "x")
	if o := x.Own.(*httptool.Options); !slices.Equal(o.Secrets, []string{"k-1"}) || o.Headers["X-Price"] != "$KEY" || !o.AllowPrivate {
		t.Errorf("%+v", o)
	}
}

func TestArgumentsThatThePathNeedsAreBestRequired(t *testing.T) {
	s, err := configtest.Load(t, configtest.Tools(`{"id": "x", "type": "http", "parameters": {"properties": {"a": {}, "b": {}, "c": {}}, "required": ["a"]},
		"http": {"url": "http://h/{a}/{b}?c={c}"}}`), nil, types...)
	if err != nil || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, "{b}") {
		t.Error(err, s.Warnings)
	}
}

// An app's own entry is checked together with the values that it leaves unchanged.
func TestAnAppMayChangeOnlyTheParameters(t *testing.T) {
	configtest.Faulty(t, configtest.Files{
		"tools.json":        `[{"id": "x", "type": "http", "parameters": {"properties": {"a": {}}}, "http": {"url": "http://h/?a={a}"}}]`,
		"apps/a/app.json":   `{"id": "a", "tools": ["x"]}`,
		"apps/a/tools.json": `[¶{"id": "x", "parameters": {"properties": {"b": {}}}}]`,
	}, nil, types, "{a} is not a parameter")
}
