package smallstack_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/smallstack"
)

func breaks(err error) { panic(err) }

func TestAPanicReachesTheCallerWithItsStack(t *testing.T) {
	want := errors.New("broken")
	defer func() {
		got, ok := recover().(*smallstack.Panic)
		if !ok || got.Value != any(want) || !strings.Contains(got.Error(), "broken") || !strings.Contains(got.Error(), "smallstack_test.breaks") {
			t.Errorf("recovered %v", got)
		}
	}()
	smallstack.Run(func() { breaks(want) })
	t.Error("Run returned")
}
