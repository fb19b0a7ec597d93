package clients

import (
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

func TestNative(t *testing.T) { fronttest.Run(t, Native) }
