// Package testenv defines what tests use of the machine that they run on, and what they must not
// use.
//
// It is the only place that skips a test, so that "go test -v" reports for everything that was left
// out how to have it tested. Where the variable CI is set, as .ci/run does, a server that is not
// named fails the test instead.
package testenv

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Postgres returns the URL of a PostgreSQL database in which the test may create schemas. A server
// that was not named is left alone, even one at the usual port: it is not the tests' own.
func Postgres(t testing.TB) string {
	t.Helper()
	return server(t, "PostgreSQL", "ASKGATE_TEST_POSTGRES", "postgres://postgres@127.0.0.1:5432/test")
}

// Redis returns the URL of a Redis server in which the test may write keys.
func Redis(t testing.TB) string {
	t.Helper()
	return server(t, "Redis", "ASKGATE_TEST_REDIS", "redis://127.0.0.1:6379/0")
}

// RedisServer returns the path of redis-server, for tests that start, move and kill servers of their
// own.
func RedisServer(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	switch {
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("redis-server is missing: CI leaves nothing out; install Redis 7 or later (on Debian: apt-get install redis-server): %v", err)
	case err != nil:
		t.Skipf("left out, for want of redis-server: install Redis 7 or later: %v", err)
	}
	return path
}

func server(t testing.TB, name, variable, example string) string {
	t.Helper()
	url := os.Getenv(variable)
	switch {
	case url == "" && os.Getenv("CI") != "":
		t.Fatalf("%s is missing: CI leaves nothing out; set %s to its URL, e.g. %s", name, variable, example)
	case url == "":
		t.Skipf("left out, for want of %s: set %s to the URL of one that tests may write to, e.g. %s", name, variable, example)
	}
	return url
}

// Node returns the path of Node.js, from the PATH or ASKGATE_TEST_NODE: V8, for tests of what
// browsers do with a pattern.
func Node(t testing.TB) string {
	t.Helper()
	name := os.Getenv("ASKGATE_TEST_NODE")
	if name == "" {
		name = "node"
	}
	path, err := exec.LookPath(name)
	switch {
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("Node.js is missing: CI leaves nothing out; install it, or set ASKGATE_TEST_NODE to its program: %v", err)
	case err != nil:
		t.Skipf("left out, for want of Node.js: install it, or set ASKGATE_TEST_NODE to its program: %v", err)
	}
	return path
}

// NPM returns the path of npm. Its tests download packages, so they run only where CI or
// ASKGATE_TEST_NPM is set.
func NPM(t testing.TB) string {
	t.Helper()
	if os.Getenv("CI") == "" && os.Getenv("ASKGATE_TEST_NPM") == "" {
		t.Skip("left out, because it downloads packages of npm: set ASKGATE_TEST_NPM=1")
	}
	path, err := exec.LookPath("npm")
	if err != nil {
		t.Fatalf("npm is missing: CI leaves nothing out; install it: %v", err)
	}
	return path
}

// LeftOut stands for tests behind a build tag, which CI runs as a separate step.
func LeftOut(t testing.TB, command, needs string) {
	t.Helper()
	t.Skipf("left out: %s runs these tests; it needs %s", command, needs)
}

// Clear unsets the variables that configure the gateway, so that a developer's own do not affect
// the tests; those that are for the tests stay. A TestMain calls it before anything else.
func Clear() {
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if configures(name) {
			_ = os.Unsetenv(name) // fails for names that cannot be in an environment
		}
	}
}

func configures(name string) bool {
	switch {
	case strings.HasPrefix(name, "ASKGATE_TEST_"), strings.HasPrefix(name, "ASKGATE_BENCH_"), name == "ASKGATE_SCREENSHOTS":
		return false
	default:
		return strings.HasPrefix(name, "ASKGATE_") || strings.HasPrefix(name, "OPENAI_") || strings.HasPrefix(name, "OTEL_")
	}
}
