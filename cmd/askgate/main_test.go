package main

import (
	"context"
	"os"
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/tools/extract"
)

// asProgram is the environment variable with which the test binary runs as the program, in a separate
// process.
const asProgram = "ASKGATE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	extract.Hook()
	if os.Getenv(asProgram) != "" {
		os.Exit(run(context.Background(), os.Args[1:]))
	}
	testenv.Clear()
	m.Run()
}
