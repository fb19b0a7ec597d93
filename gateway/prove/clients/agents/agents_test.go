//go:build agents

package agents_test

import (
	"flag"
	"testing"
	"time"
)

var after = flag.Duration("after", 70*time.Second, "how long the person takes to answer: longer than a call waits by itself")

// An agent asks a person, who takes longer to answer than a call waits, and reads the answer.
func TestAgentsAskPeople(t *testing.T) {
	for _, a := range append(agents, library) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel() // they wait
			a.run(t, *after)
		})
	}
}
