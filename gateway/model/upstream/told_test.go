package upstream_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// send makes one attempt at a server.
func send(t *testing.T, s upstream.Settings, h http.HandlerFunc) (*upstream.Answer, *upstream.Failure, error) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s.BaseURL = server.URL + "/v1"
	tries := upstream.NewServer(s, "/chat/completions", http.Header{"Authorization": {"Bearer " + s.APIKey}, "X-Version": {"1"}}).Tries()
	tries.Said = func() []string { return []string{"I have a mild fever"} }
	a, f := tries.Send(t.Context(), []byte(`{}`))
	if f != nil {
		return nil, f, tries.Wait(t.Context(), f)
	}
	t.Cleanup(a.Close)
	return a, nil, nil
}

// A refusal's reason is in the error and in the notes, without secrets and without the chat's
// content.
func TestARefusalIsTold(t *testing.T) {
	notes := upstream.NewNotes(nil)
	_, f, err := send(t, upstream.Settings{
		APIKey: "sk-0123456789", Secrets: []string{"from-the-environment"}, Header: http.Header{"X-Team": {"team-secret-value"}}, Notes: notes, MaxRetries: -1,
	}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"Key sk-0123456789 of team-secret-value, from-the-environment: \"fever\" in I have a mild fever"}}`))
	})
	const want = `Key [key] of [key], [key]: "…" in …`
	var e *model.Error
	if !errors.As(err, &e) || e.Reason != want || e.Fault != model.FaultKey || f.Again {
		t.Errorf("%+v", err)
	}
	if !strings.Contains(e.Error(), want) || strings.Contains(e.Error(), "fever") {
		t.Error(e)
	}
	if _, refusals := notes.List(); len(refusals) != 1 || refusals[0].Status != 401 || refusals[0].Reason != want || refusals[0].At.IsZero() {
		t.Errorf("%+v", refusals)
	}
}

// So is the reason of an error within a stream, and of a failure that ends the attempts.
func TestAnErrorWithinAStreamIsTold(t *testing.T) {
	const line = `{"error":{"message":"no capacity for I have a mild fever","code":503}}`
	const want = "no capacity for …"
	for _, how := range []string{"read", "tried"} {
		notes := upstream.NewNotes(nil)
		a, _, _ := send(t, upstream.Settings{Notes: notes}, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("data: " + line + "\n\n")) })
		failed := upstream.Failed(model.KindUnavailable, 503, upstream.ErrorIn([]byte(line)), []byte(line))
		if strings.Contains(failed.Error(), "fever") || failed.Reason != "" {
			t.Errorf("untold: %v", failed)
		}
		var err error
		if err = a.Error(t.Context(), failed); how == "tried" {
			tries := upstream.NewServer(upstream.Settings{Notes: notes}, "", nil).Tries()
			tries.Said = func() []string { return []string{"I have a mild fever"} }
			err = tries.Wait(t.Context(), &upstream.Failure{Err: failed})
		}
		var e *model.Error
		if !errors.As(err, &e) || e.Reason != want || e.Err != nil || e.Kind != model.KindUnavailable {
			t.Errorf("%s: %+v", how, err)
		}
		if _, refusals := notes.List(); len(refusals) == 0 || refusals[0].Status != 503 || refusals[0].Reason != want {
			t.Errorf("%s: %+v", how, refusals)
		}
	}
}

// Headers that an admin set are sent with each request, and take precedence over the provider's own
// of the same name.
func TestHeadersOfSettingsAreSent(t *testing.T) {
	got := http.Header{}
	a, f, _ := send(t, upstream.Settings{APIKey: "k", Header: http.Header{"x-version": {"2"}, "Openai-Organization": {"org"}, "User-Agent": {"mine"}}},
		func(w http.ResponseWriter, r *http.Request) {
			got = r.Header.Clone()
			_, _ = w.Write([]byte("data: [DONE]\n"))
		})
	if a == nil || f != nil || got.Get("Authorization") != "Bearer k" || got.Get("X-Version") != "2" || got.Get("Openai-Organization") != "org" ||
		got.Get("User-Agent") != "mine" || got.Get("Content-Type") != "application/json" {
		t.Error(got)
	}
}

// A fault that an operator has to fix is not retried, whatever the status.
func TestAFaultIsNotTriedAgain(t *testing.T) {
	for status, body := range map[int]string{
		500: `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`,
		429: `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`,
	} {
		_, f, _ := send(t, upstream.Settings{MaxRetries: -1}, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
		if f == nil || f.Again || f.Err.Retryable() {
			t.Errorf("%d: %+v", status, f)
		}
	}
}
