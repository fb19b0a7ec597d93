package clienttool_test

import (
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/clienttool"
)

var types = []config.ToolType{clienttool.Type(func(*config.Tool) func(tools.Call) string { return nil })}

func TestFaults(t *testing.T) {
	configtest.Faulty(t, configtest.Tools(`{"id": "x", "type": "client", "client": {"resolve": ¶"drawn"}}`), nil, types, "way to end a call")
}

// A tool that only draws does not wait; any other waits for the client.
func TestRendered(t *testing.T) {
	s, err := configtest.Load(t, configtest.Tools(`{"id": "chart", "type": "client", "client": {"resolve": "rendered"}}, {"id": "pick", "type": "client", "client": {}}, {"id": "plain", "type": "client"}`), nil, types...)
	if err != nil {
		t.Fatal(err)
	}
	for id, waits := range map[string]bool{"chart": false, "pick": true, "plain": true} {
		entry, _ := s.Tool("", id)
		tool, err := types[0].New(nil, entry)
		if err != nil {
			t.Fatal(err)
		}
		if _, paused := tool.(tools.Resumer); entry.RequiresUserInput != waits || paused != waits {
			t.Errorf("%s waits: %v %v", id, entry.RequiresUserInput, paused)
		}
		if waits {
			continue
		}
		out, err := tool.Run(t.Context(), tools.Call{})
		if err != nil || out.Result != "rendered" || out.Question != nil || !tool.(tools.Repeater).Repeatable(tools.Call{}) {
			t.Errorf("%+v %v", out, err)
		}
	}
}
