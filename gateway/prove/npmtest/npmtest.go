// Package npmtest runs Node.js programs with npm packages in tests: the clients that people use.
package npmtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// Install copies the files of dir, a folder with package.json and package-lock.json, into a folder
// of the test's, with the packages that they name. The packages are cached in the user's cache
// directory, keyed by the lock file. If CI would leave the test out because npm is missing, the
// test fails.
func Install(t testing.TB, dir string) string {
	t.Helper()
	npm := testenv.NPM(t)
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(lock)
	kept := filepath.Join(cache, "askgate-ci", "npm", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(filepath.Join(kept, "node_modules")); err != nil {
		if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
			t.Fatal(err)
		}
		fresh, err := os.MkdirTemp(filepath.Dir(kept), "new") // in a temporary place first: tests of other packages may be installing it as well
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(fresh)
		for _, name := range []string{"package.json", "package-lock.json"} {
			copyFile(t, filepath.Join(dir, name), filepath.Join(fresh, name))
		}
		install := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		install.Dir = fresh
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("npm ci: %v\n%s", err, out)
		}
		if err := os.Rename(fresh, kept); err != nil {
			if _, others := os.Stat(filepath.Join(kept, "node_modules")); others != nil {
				t.Fatal(err)
			}
		}
	}
	own := t.TempDir()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			copyFile(t, filepath.Join(dir, e.Name()), filepath.Join(own, e.Name()))
		}
	}
	if err := os.Symlink(filepath.Join(kept, "node_modules"), filepath.Join(own, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return own
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Run runs a Node.js script in a folder of Install's, and returns its output. A script that fails
// fails the test.
func Run(t testing.TB, dir, script string, args ...string) []byte {
	t.Helper()
	return run(t, dir, nil, append([]string{script}, args...))
}

// Node is Run with additional variables, NAME=value, in place of arguments.
func Node(t testing.TB, dir, script string, env ...string) []byte {
	t.Helper()
	return run(t, dir, env, []string{script})
}

func run(t testing.TB, dir string, env, args []string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testenv.Node(t), args...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", args[0], err, out, &errs)
	}
	return out
}
