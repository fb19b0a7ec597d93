package gemini_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/gemini"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/model/modeltest/claims"
)

var provider = claims.Provider{
	New:     func(o gemini.Options) model.Model { return gemini.New(o) },
	Refused: `{"error":{"code":1,"message":"secret","status":"SOME_STATUS"}}`,
	Says:    "400",
	Key:     `{"error":{"code":401,"status":"%s"}}`,
	Down:    modeltest.Raw(events(`{"error":{"code":503,"message":"secret","status":"UNAVAILABLE"}}`)),
}

func TestWhatAllProvidersHold(t *testing.T) { claims.Hold(t, provider) }
