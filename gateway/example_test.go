package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/locales"
)

// files are a configuration directory.
var files = fstest.MapFS{"apps/hello.json": {Data: []byte(`{"id": "hello", "name": "Hello"}`)}}

// greeter is a custom model.
type greeter struct{}

func (greeter) Stream(_ context.Context, r model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		yield(model.Delta{Text: []byte("You said: " + r.Messages[len(r.Messages)-1].Content), Finish: model.FinishStop}, nil)
	}
}

// A program that contains a gateway: its handler is an ordinary http.Handler.
func Example() {
	ctx, dir := context.Background(), must(os.MkdirTemp("", "hello"))
	defer os.RemoveAll(dir)
	check(os.CopyFS(dir, files))
	db := must(sqldb.Open(ctx, "sqlite:"+filepath.Join(dir, "chats.db"), sqldb.Options{}))
	defer db.Close()
	g := must(gateway.New(ctx, gateway.Options{
		Config:    must(config.Load(config.Options{Dir: dir})),
		Store:     db,
		Hub:       stream.NewLocal(),
		Limiter:   limit.NewLocal(),
		Texts:     must(locales.New()),
		Providers: map[string]func(config.Model, *upstream.Notes) model.Model{config.ProviderDemo: func(config.Model, *upstream.Notes) model.Model { return greeter{} }},
		Registry:  prometheus.NewRegistry(),
		Log:       slog.New(slog.DiscardHandler),
	}))
	go g.Run(ctx)
	defer g.Shutdown(ctx)
	server := httptest.NewServer(g.Handler())
	defer server.Close()

	fmt.Println(say(server.URL+"/v1/apps/hello/chats/first/messages", "good morning"))
	// Output: You said: good morning
}

// say is a client: it sends a message and returns the text of the answer.
func say(url, message string) string {
	req := must(http.NewRequest(http.MethodPost, url, strings.NewReader(fmt.Sprintf(`{"message": %q}`, message))))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp := must(http.DefaultClient.Do(req))
	defer resp.Body.Close()
	var run struct{ Text string }
	check(json.NewDecoder(resp.Body).Decode(&run))
	return run.Text
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
