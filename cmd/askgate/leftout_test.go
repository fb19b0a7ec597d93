//go:build !deploy

package main_test

import (
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

func TestDeployWithItsPrograms(t *testing.T) {
	testenv.LeftOut(t, "go test -tags deploy ./cmd/askgate", "nginx, Caddy, Prometheus and the last release")
}
