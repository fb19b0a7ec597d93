package main

import (
	"context"
	"os"
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// asProgram is set where this binary is to be the program, in a process of its own.
const asProgram = "ASKGATE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run(context.Background(), os.Args[1:]))
	}
	testenv.Clear()
	m.Run()
}
