package aside_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/aside"
)

func breaks(err error) { panic(err) }

func TestAPanicReachesTheCallerWithItsStack(t *testing.T) {
	want := errors.New("broken")
	defer func() {
		got, ok := recover().(*aside.Panic)
		if !ok || got.Value != any(want) || !strings.Contains(got.Error(), "broken") || !strings.Contains(got.Error(), "aside_test.breaks") {
			t.Errorf("recovered %v", got)
		}
	}()
	aside.Run(func() { breaks(want) })
	t.Error("Run returned")
}
