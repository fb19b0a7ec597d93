package responses_test

import (
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
	"github.com/askgate/askgate/gateway/model/responses"
)

func TestWhatAllProvidersHold(t *testing.T) {
	down := modeltest.Raw(stream(created, failed(`{"code":"server_error","message":"secret"}`)))
	const wait = 2 * time.Second
	claims.Hold(t, claims.Provider{
		New:     func(o responses.Options) model.Model { return responses.New(o) },
		Refused: `{"error":{"message":"secret","type":"some_error","param":null,"code":"some_code"}}`,
		Says:    "type=some_error",
		Key:     `{"error":{"type":"%s","code":"%s"}}`,
		Again: map[string]modeltest.Response{
			"failed once begun":   {modeltest.Raw(stream(created, use(0, "a", "f", "{}"))), down},
			"failed for no cause": {modeltest.Raw(stream(failed(`null`)))},
			"an error event":      {modeltest.Raw(stream(`{"type":"error","error":{"type":"server_error","code":null,"message":"Sorry, something went wrong.","param":null}}`))},
		},
		Down: down,
		Final: map[string]modeltest.Response{
			"policy": {modeltest.Raw(stream(failed(`{"code":"bio_policy"}`)))},
			"funds":  {modeltest.Raw(stream(failed(`{"code":"insufficient_quota"}`)))},
		},
		Timed: map[string]claims.Timed{
			"comments":        claims.Takes(modeltest.Response{modeltest.Raw(stream(created)), modeltest.Delay(wait), modeltest.Raw(": alive\n\n"), modeltest.Delay(wait), modeltest.Raw(stream(hi, message, over))}, `text="Hi" usage=25+15 finish=stop`, 2*wait),
			"stall after end": claims.Takes(modeltest.Response{modeltest.Text("a"), modeltest.Done(), modeltest.Stall()}, `text="a" finish=stop`, 50*time.Millisecond),
		},
	})
}
