//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// triedConfig contains two models: one whose server refuses what is configured, one whose key is
// wrong.
func triedConfig(url string) map[string]string {
	return map[string]string{
		"gateway.json": `{"models": {"default": {"provider": "openai", "baseUrl": "` + url + `", "apiKey": "key", "model": "gpt-small", "temperature": 0.5, "maxTokens": 4000, "fallback": ["spare"]},
			"spare": {"provider": "openai", "baseUrl": "` + url + `", "apiKey": "wrong", "model": "a-model-with-a-very-long-name-2026-11-26", "maxRetries": 0}}}`,
		"apps/travel.json": guideApp,
	}
}

// A button tests a model; the result, including what its server refused, is shown there, and stays
// in the list below.
func TestTheAdminViewTriesModelsAndShowsWhatTheyRefuse(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	server := modeltest.NewFunc(t, func(n int, r modeltest.Request) modeltest.Response {
		switch {
		case r.Header.Get("Authorization") == "Bearer wrong":
			return modeltest.Status(401, `{"error":{"message":"Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`)
		case r.Body.Temperature != nil:
			return modeltest.Status(400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`)
		case n == 1:
			<-held
			return modeltest.Ask("call_1", `{"question":"Which colour do you like?"}`)
		}
		return append(modeltest.Response{modeltest.Text("You like blue.")}, modeltest.Finish("stop"), modeltest.Tokens(1200, 6), modeltest.Done())
	})
	s := newSite(t, "", configured(t, triedConfig(server.URL)))
	p := openChatPage(t, s, "", 1200)
	p.do(chromedp.Navigate(s.url + "/admin"))
	p.until("find('#faults').innerText.includes('no rejections since')")

	try := func(model string) string { return `[aria-label="Test the model ` + model + `"]` }
	p.click(try("default"))
	p.until("find('#trial').innerText.includes('Testing the model') && document.querySelectorAll('#faults td button[aria-disabled=true]').length === 2")
	p.click(try("spare")) // one at a time
	close(held)
	p.until("find('#trial .good')?.innerText.includes('default')")
	for _, want := range []string{"Text: yes. Tool call: yes. Answer to it: yes.", "1,210 in", "temperature"} {
		if text := eval[string](p, "find('#trial').innerText"); !strings.Contains(text, want) {
			t.Errorf("the trial shows %q, not %q", text, want)
		}
	}
	p.until("document.querySelectorAll('#faults td button[aria-disabled=true]').length === 0")

	p.click(try("spare"))
	p.until("find('#trial .bad')?.innerText.includes('spare')")
	if text := eval[string](p, "find('#trial').innerText"); !strings.Contains(text, "Incorrect API key provided") {
		t.Errorf("the trial shows %q", text)
	}
	rows := eval[[]string](p, "[...document.querySelectorAll('#faults tbody tr')].map((r) => r.innerText.replaceAll(/\\s+/g, ' '))")
	seen := func(parts ...string) (n int) {
	rows:
		for _, row := range rows {
			for _, part := range parts {
				if !strings.Contains(row, part) {
					continue rows
				}
			}
			n++
		}
		return n
	}
	if seen("default temperature", "left out") != 1 || seen("default 400", "Unsupported value") != 1 || seen("spare 401", "Incorrect API key") != 1 {
		t.Errorf("the view lists %q", rows)
	}
	for _, look := range []struct {
		name, scheme string
		width        int64
	}{{"light", "light", 1200}, {"dark", "dark", 1200}, {"narrow", "light", 375}} {
		name := "admin-models-" + look.name
		p.resize(look.width)
		p.media("prefers-color-scheme", look.scheme)
		p.accessible(name)
		p.fits(name)
		p.js("find('#trial').previousElementSibling.scrollIntoView({block: 'center'})")
		p.shot(name)
		p.js("find('#trial').nextElementSibling.scrollIntoView()")
		p.shot(name + "-refused")
	}
}

// A trial that the gateway does not run shows the reason, until another action.
func TestTheAdminViewSaysWhyAModelIsNotTried(t *testing.T) {
	t.Parallel()
	s := newSite(t, "", guide(t, nil), configured(t, map[string]string{"gateway.json": guideConfig, "apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1200)
	p.do(chromedp.Navigate(s.url + "/admin"))
	p.until("find('#trial')")
	p.js(`const real = fetch;
		globalThis.fetch = (path, init) => (path.endsWith("/try") ? real("/v1/admin/models/gone/try", init) : real(path, init));
		globalThis.listed = 0;
		const again = fetch;
		globalThis.fetch = (path, init) => again(path, init).finally(() => { if (path === "/v1/admin/models") listed++; });`)
	p.click(`[aria-label="Test the model default"]`)
	p.until("listed > 0 && !document.querySelector('#faults button[aria-disabled=true]')")
	if alert := eval[string](p, "find('#alert').innerText"); !strings.Contains(alert, "No model in gateway.json has this name") {
		t.Errorf("the alert reads %q", alert)
	}
	if text := eval[string](p, "find('#trial').innerText"); text != "" {
		t.Errorf("next to the alert: %q", text)
	}
}
