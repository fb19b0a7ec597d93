package toolschema_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/model/toolschema"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// A request contains the forms of all its tools: up to 128.
func BenchmarkAskUser(b *testing.B) {
	_, parameters := askuser.New(askuser.Limits{}, nil).Definition()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := toolschema.Portable(tools.Definition{Name: "ask_user", Parameters: parameters}, toolschema.Common); err != nil {
			b.Fatal(err)
		}
	}
}
