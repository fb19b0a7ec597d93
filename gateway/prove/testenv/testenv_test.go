package testenv_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// recorder records how a test ends.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper()                           {}
func (r *recorder) Skipf(format string, args ...any)  { r.skipped = fmt.Sprintf(format, args...) }
func (r *recorder) Fatalf(format string, args ...any) { r.failed = fmt.Sprintf(format, args...) }

func TestAServerThatNobodyNamedIsLeftOutAndSaysSo(t *testing.T) {
	for variable, server := range map[string]func(testing.TB) string{
		"ASKGATE_TEST_POSTGRES": testenv.Postgres, "ASKGATE_TEST_REDIS": testenv.Redis,
	} {
		t.Setenv("CI", "")
		t.Setenv(variable, "")
		var r recorder
		if server(&r); !strings.Contains(r.skipped, "set "+variable) || r.failed != "" {
			t.Errorf("without %s: %+v", variable, r)
		}
		r = recorder{}
		t.Setenv("CI", "true")
		if server(&r); !strings.Contains(r.failed, "set "+variable) || r.skipped != "" {
			t.Errorf("without %s in CI: %+v", variable, r)
		}
		r = recorder{}
		t.Setenv(variable, "scheme://here")
		if got := server(&r); got != "scheme://here" || r.failed != "" || r.skipped != "" {
			t.Errorf("with %s: %q, %+v", variable, got, r)
		}
	}
}

func TestClearLeavesWhatIsForTheTests(t *testing.T) {
	gone := []string{"ASKGATE_CONFIG", "ASKGATE_STORE", "OPENAI_API_KEY", "OTEL_SDK_DISABLED"}
	stay := []string{"ASKGATE_TEST_REDIS", "ASKGATE_BENCH_CHATS", "ASKGATE_SCREENSHOTS", "PATHOLOGICAL_OTEL_"}
	for _, name := range append(gone, stay...) {
		t.Setenv(name, "x")
	}
	testenv.Clear()
	for _, name := range gone {
		if value, set := os.LookupEnv(name); set {
			t.Errorf("%s is still %q", name, value)
		}
	}
	for _, name := range stay {
		if os.Getenv(name) != "x" {
			t.Errorf("%s is gone", name)
		}
	}
}
