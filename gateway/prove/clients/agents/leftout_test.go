//go:build !agents

package agents_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

func TestAgentsAskPeople(t *testing.T) {
	testenv.LeftOut(t, "make agents", "npm, 2 GB for the agents, and 20 minutes")
}
