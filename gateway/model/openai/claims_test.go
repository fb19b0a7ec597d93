package openai_test

import (
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/openai"
)

func TestWhatAllProvidersHold(t *testing.T) {
	down := modeltest.Raw(data(`{"error":{"code":502,"message":"secret"}}`))
	ended := func(after ...modeltest.Step) modeltest.Response {
		return append(modeltest.Response{modeltest.Text("a"), modeltest.Finish("stop"), modeltest.Done()}, after...)
	}
	const three, wait = 3 * time.Second, 2 * time.Second
	claims.Hold(t, claims.Provider{
		New:     func(o openai.Options) model.Model { return openai.New(o) },
		Refused: `{"error":{"message":"secret","type":"some_error","code":"some_code"}}`,
		Says:    "type=some_error code=some_code",
		Key:     `{"error":{"type":"%s","code":"%s"}}`,
		Down:    down,
		Timed: map[string]claims.Timed{
			"slow but steady":     claims.Takes(modeltest.Response{modeltest.Delay(wait), modeltest.Raw(": wait\n"), modeltest.Delay(wait), modeltest.Text("a"), modeltest.Delay(wait), modeltest.Finish("stop"), modeltest.Done()}, `text="a" finish=stop`, 3*wait),
			"a stall in a line":   claims.Takes(modeltest.Response{modeltest.Raw("data: {"), modeltest.Stall()}, `text="" error=model_timeout/0`, three),
			"stall after finish":  claims.Takes(modeltest.Response{modeltest.Text("a"), modeltest.Finish("stop"), modeltest.Stall()}, `text="a" finish=stop`, three),
			"stall after DONE":    claims.Takes(ended(modeltest.Stall()), `text="a" finish=stop`, 50*time.Millisecond),
			"drip after DONE":     claims.Takes(ended(drip(40*time.Millisecond, 100)...), `text="a" finish=stop`, 50*time.Millisecond),
			"flood after DONE":    claims.Takes(ended(drip(0, 1000)...), `text="a" finish=stop`, 0),
			"a whole answer late": claims.Takes(modeltest.Response{modeltest.Raw(`{"choices":[`), modeltest.Stall()}, `text="" error=model_timeout/0`, three),
		},
	})
}

// drip sends comments endlessly.
func drip(every time.Duration, n int) (r modeltest.Response) {
	for range n {
		if every > 0 {
			r = append(r, modeltest.Delay(every))
		}
		r = append(r, modeltest.Raw(strings.Repeat(":", 100)))
	}
	return r
}
