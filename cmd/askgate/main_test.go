package main_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

func TestMain(m *testing.M) {
	testenv.Clear()
	m.Run()
}
