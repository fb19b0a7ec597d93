package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// With each provider, the step of a model that never stops sending ends after ten times its timeout.
func TestAStepOfAModelHasAnEnd(t *testing.T) {
	for _, provider := range []string{"openai", "anthropic"} {
		t.Run(provider, func(t *testing.T) {
			var steady modeltest.Response
			for range 10_000 {
				steady = append(steady, modeltest.Text("a"), modeltest.Delay(10*time.Millisecond))
			}
			p := start(t, modeltest.New(t, steady).URL, map[string]string{
				"gateway.json":     fmt.Sprintf(`{"models": {"default": {"provider": %q, "baseUrl": "$MODEL_URL", "model": "m", "timeout": "30ms"}}}`, provider),
				"apps/helper.json": `{"id": "helper", "name": "Helper"}`,
			})
			events := p.send("helper", "c1", `{"message":"hi"}`)
			text := ""
			for _, e := range events {
				text += e.Name + " " + string(e.Data) + "\n"
			}
			if !strings.Contains(text, `"code":"model_timeout"`) || !strings.Contains(text, "chunk") {
				t.Errorf("the stream was\n%s", text)
			}
		})
	}
}
