package mcptool_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/askgate/askgate/tools"
)

func TestChildrenCannotReadTheGatewaysEnvironment(t *testing.T) {
	b := stdio(t)
	out := b.call(t, tools.Call{Name: "s__parent"})
	if out.Error != nil || strings.Contains(out.Result, "PATH=") || !strings.HasPrefix(out.Result, "read: ") {
		t.Errorf("%+v %v", out, out.Error)
	}
	// As a user other than root, whom nothing stops, it cannot read anything of it.
	if dumpable, _, _ := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_GET_DUMPABLE, 0, 0); dumpable != 0 {
		t.Errorf("the gateway shows its memory and its files to its own user (%d)", dumpable)
	}
	if os.Getenv("PATH") == "" {
		t.Error("the gateway has lost its environment")
	}
	// The next child gets the part of it that it needs.
	if out := stdio(t).call(t, tools.Call{Name: "s__environment"}); !strings.Contains(out.Result, "PATH=/") {
		t.Errorf("%+v", out)
	}
}
