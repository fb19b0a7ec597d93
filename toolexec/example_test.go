package toolexec_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing/fstest"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/calculator"
)

// files is a configuration directory with an app that may use one tool.
var files = fstest.MapFS{"apps/sums.json": {Data: []byte(`{"id": "sums", "name": "Sums", "tools": ["calculator"]}`)}}

// The calls of one step: each returns one outcome, whatever the model sent.
func Example() {
	dir := must(os.MkdirTemp("", "sums"))
	defer os.RemoveAll(dir)
	_ = must(dir, os.CopyFS(dir, files))
	types := []config.ToolType{config.Builtin("calculator", calculator.Tool{})}
	snapshot := must(config.Load(config.Options{Dir: dir, Tools: types}))
	factories := toolexec.Factories{}
	factories.Add(types...)
	catalog := must(toolexec.NewCatalog(snapshot, factories))
	defer catalog.Close()
	app, _ := snapshot.App("sums")
	executor := toolexec.New(prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	for _, out := range executor.Execute(context.Background(), catalog, toolexec.Batch{App: app, Calls: []tools.Call{
		{ID: "call_1", Name: "calculator", Arguments: `{"expression": "6 * 7"}`},
		{ID: "call_2", Name: "calculator", Arguments: `{"formula": "6 * 7"}`},
		{ID: "call_3", Name: "delete_all", Arguments: `{}`},
	}}) {
		if out.Error != nil {
			fmt.Println(out.Error.Code)
			continue
		}
		fmt.Println(out.Result)
	}
	// Output:
	// 42
	// INVALID_ARGUMENTS
	// TOOL_NOT_AVAILABLE
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
