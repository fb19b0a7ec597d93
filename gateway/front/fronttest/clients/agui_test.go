package clients

import (
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

func TestAGUI(t *testing.T)           { fronttest.Run(t, AGUI) }
func TestAGUIInterrupts(t *testing.T) { fronttest.Run(t, AGUIInterrupts) }
