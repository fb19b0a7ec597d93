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

func TestInOtherBrowsers(t *testing.T) {
	t.Parallel()
	testenv.LeftOut(t, "go test -tags browsers ./gateway/prove/browsertest", "Firefox, WebKitGTK's WebDriver and Xvfb")
}
