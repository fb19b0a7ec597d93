package clients

import (
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

func TestAISDK(t *testing.T) { fronttest.Run(t, AISDK) }
