package gateway_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/tools"
)

// source provides one configuration after another.
type source struct {
	first *config.Snapshot
	take  func(*config.Snapshot) error
}

func (s *source) Follow(take func(*config.Snapshot) error) error {
	s.take = take
	return take(s.first)
}

// withModels is a configuration with these models.
func withModels(t *testing.T, models string) *config.Snapshot {
	t.Helper()
	dir := t.TempDir()
	check(os.WriteFile(filepath.Join(dir, "gateway.json"), []byte(`{"models": {`+models+`}}`), 0o600))
	check(os.CopyFS(dir, files))
	return must(config.Load(config.Options{Dir: dir}))
}

// What is learned about a model's server appears in the log, the metric and the admin view, under
// the model's name, until its configuration changes.
func TestWhatModelsLearnIsToldUntilTheirConfigurationChanges(t *testing.T) {
	var log bytes.Buffer
	made := map[string]int{}
	last := map[string]*upstream.Notes{}
	conf := &source{first: withModels(t, `"a": {"provider": "demo", "model": "x"}, "b": {"provider": "demo", "model": "x", "timeout": "1m"}, "c": {"provider": "demo", "model": "y"}`)}
	db := must(sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "chats.db"), sqldb.Options{}))
	defer db.Close()
	g := must(gateway.New(t.Context(), gateway.Options{
		Config: conf, Store: db, Hub: stream.NewLocal(), Limiter: limit.NewLocal(), Texts: must(locales.New()),
		Providers: map[string]func(config.Model, *upstream.Notes) model.Model{config.ProviderDemo: func(c config.Model, notes *upstream.Notes) model.Model {
			made[c.Model]++
			last[c.Model] = notes
			return greeter{}
		}},
		Trial: tools.Definition{Name: "ask_user"}, Registry: prometheus.NewRegistry(), Log: slog.New(slog.NewTextHandler(&log, nil)),
	}))
	defer g.Shutdown(t.Context())
	server := httptest.NewServer(g.Handler())
	defer server.Close()
	call := func(method, path string) string {
		t.Helper()
		resp := must(http.DefaultClient.Do(must(http.NewRequest(method, server.URL+path, nil))))
		defer resp.Body.Close()
		return string(must(io.ReadAll(resp.Body)))
	}
	adapted := func(name string) (n int) {
		var tried struct{ Adaptations []json.RawMessage }
		check(json.Unmarshal([]byte(call("POST", "/v1/admin/models/"+name+"/try")), &tried))
		return len(tried.Adaptations)
	}

	last["y"].Learnt(upstream.Adaptation{What: "temperature", Detail: "not sent"})
	if got := log.String(); !strings.Contains(got, "level=WARN") || !strings.Contains(got, `model=c what=temperature detail="not sent"`) {
		t.Errorf("the log: %s", got)
	}
	if got := call("GET", "/metrics"); !strings.Contains(got, `askgate_model_adaptations_total{model="c",what="temperature"} 1`) {
		t.Error("the metric lacks it")
	}
	if adapted("c") != 1 || adapted("a") != 0 {
		t.Errorf("the admin view: %d, %d", adapted("c"), adapted("a"))
	}

	check(conf.take(withModels(t, `"a": {"provider": "demo", "model": "x"}, "c": {"provider": "demo", "model": "y"}, "d": {"provider": "demo", "model": "y"}`)))
	if made["y"] != 2 || made["x"] != 2 || adapted("c") != 1 || adapted("d") != 0 {
		t.Errorf("after a reload without a change: %v, %d, %d", made, adapted("c"), adapted("d"))
	}
	check(conf.take(withModels(t, `"c": {"provider": "demo", "model": "y", "temperature": 1}`)))
	if made["y"] != 3 || adapted("c") != 0 {
		t.Errorf("after a change: %v, %d", made, adapted("c"))
	}
}
