//go:build !browser && !browsers

package browsertest

import (
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

func TestInABrowser(t *testing.T) {
	t.Parallel()
	testenv.LeftOut(t, "go test -tags browser ./gateway/prove/browsertest", "Chromium")
}
