package anthropic_test

import (
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/anthropic"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
)

func TestWhatAllProvidersHold(t *testing.T) {
	down := modeltest.Raw(stream(fault("overloaded_error")))
	const wait = 2 * time.Second
	claims.Hold(t, claims.Provider{
		New:     func(o anthropic.Options) model.Model { return anthropic.New(o) },
		Refused: `{"type":"error","error":{"type":"some_error","message":"secret"}}`,
		Says:    "type=some_error",
		Key:     `{"error":{"type":"%s","code":"%s"}}`,
		Again:   map[string]modeltest.Response{"overloaded once begun": {modeltest.Raw(stream(begin, ping, use(0, "a", "f", "{}"))), down}},
		Down:    down,
		Final:   map[string]modeltest.Response{"invalid": {modeltest.Raw(stream(fault("invalid_request_error")))}},
		Timed: map[string]claims.Timed{
			"pings":              claims.Takes(modeltest.Response{modeltest.Raw(stream(begin)), modeltest.Delay(wait), modeltest.Raw(stream(ping)), modeltest.Delay(wait), modeltest.Raw(stream(text0, hi, end0, ended(`"end_turn"`), stop))}, `text="Hi" usage=25+15 finish=stop`, 2*wait),
			"stall after reason": claims.Takes(modeltest.Response{modeltest.Text("a"), modeltest.Finish("stop"), modeltest.Stall()}, `text="a" usage=0+0 finish=stop`, 3*time.Second),
			"stall after stop":   claims.Takes(modeltest.Response{modeltest.Text("a"), modeltest.Finish("stop"), modeltest.Done(), modeltest.Stall()}, `text="a" usage=0+0 finish=stop`, 50*time.Millisecond),
		},
	})
}
