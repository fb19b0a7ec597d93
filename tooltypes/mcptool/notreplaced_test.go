package mcptool_test

import (
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// A program and an address are the same for every caller.
func TestPlaceholdersOfTheCallerOutsideOfHeaders(t *testing.T) {
	for name, entry := range map[string]string{
		"command":     `{"command": ¶"/opt/{caller.tenant}/server"}`,
		"args":        `{"command": "sh", "args": ["-c", ¶"serve {caller.subject}"]}`,
		"env":         `{"command": "sh", "env": {"USER": ¶"{caller.subject}"}}`,
		"unknown":     `{"command": "sh", "env": {"USER": ¶"{caller.name}"}}`,
		"address":     `{"url": ¶"http://h/{chat.id}"}`,
		"tool":        `{"url": "http://h/", "tools": [¶"{app.id}"]}`,
		"header name": `{"url": "http://h/", "headers": {¶"X-{app.id}": "1"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			want := "is not replaced here"
			if name == "header name" {
				want = "HTTP header name"
			}
			configtest.Faulty(t, configtest.Tools(`{"id": "x", "type": "mcp", "mcp": `+entry+`}`), nil, []config.ToolType{mcptool.Type(nil, nil)}, want)
		})
	}
}
