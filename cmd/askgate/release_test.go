// These tests check the results of "make release", as far as that is possible without Docker, Helm and
// Homebrew.
package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readText reads a file of the repository.
func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each address in the formula is that of a binary of deploy/release.sh, with its checksum. A missing
// binary is an error.
func TestTheFormulaNamesWhatIsReleased(t *testing.T) {
	platforms := regexp.MustCompile(`PLATFORMS:-([a-z0-9/ ]+)\}`).FindStringSubmatch(readText(t, "deploy/release.sh"))
	if platforms == nil {
		t.Fatal("deploy/release.sh has no platforms")
	}
	fill := func(sums []string) (string, error) {
		list := filepath.Join(t.TempDir(), "SHA256SUMS")
		if err := os.WriteFile(list, []byte(strings.Join(sums, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), filepath.Join(root, "deploy/homebrew/formula.sh"), "v1.2.0", "1.2.0", list).Output()
		return string(out), err
	}
	var sums []string
	want := map[string]string{} // address -> checksum
	for i, platform := range strings.Fields(platforms[1]) {
		name := "askgate_v1.2.0_" + strings.ReplaceAll(platform, "/", "_")
		sum := strings.Repeat(fmt.Sprint(i), 64)
		if strings.HasPrefix(platform, "windows/") {
			name += ".exe"
		} else {
			want["https://github.com/askgate/askgate/releases/download/v1.2.0/"+name] = sum
		}
		sums = append(sums, sum+"  "+name)
	}
	formula, err := fill(sums)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`url "([^"]+)", using: :nounzip\n +sha256 "([0-9a-f]{64})"`).FindAllStringSubmatch(formula, -1)
	if len(found) != len(want) {
		t.Errorf("the formula has %d binaries, want %d:\n%s", len(found), len(want), formula)
	}
	for _, m := range found {
		if want[m[1]] != m[2] {
			t.Errorf("%s has the checksum %s, want %s", m[1], m[2], want[m[1]])
		}
	}
	if strings.Contains(formula, "@") || !strings.HasPrefix(formula, "class Askgate < Formula\n") || !strings.Contains(formula, `version "1.2.0"`) {
		t.Errorf("the formula is\n%s", formula)
	}
	if _, err := fill(sums[1:]); err == nil {
		t.Error("a formula is made without one of its binaries")
	}
}

// The chart, the package and the changelog have the same version.
func TestWhatIsReleasedHasOneVersion(t *testing.T) {
	var chart struct {
		Version    string
		AppVersion string `yaml:"appVersion"`
	}
	unpack(t, "helm/askgate/Chart.yaml", &chart)
	var npm struct{ Version string }
	if err := json.Unmarshal([]byte(readText(t, "gateway/web/static/package.json")), &npm); err != nil {
		t.Fatal(err)
	}
	if chart.Version != npm.Version || chart.AppVersion != npm.Version {
		t.Errorf("the chart has the versions %s and %s, the package %s", chart.Version, chart.AppVersion, npm.Version)
	}
}

// As long as there is no LICENSE, no released file claims one.
// Each way to build a release leaves out the same: msgpack, which gin would encode, and the pages that
// grpc would serve. Without the tags the program has a third more, since those pages use text/template.
func TestEveryReleaseIsBuiltWithTheSameTags(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Makefile", "Dockerfile", "deploy/release.sh", ".ci/run"} {
		if text := readText(t, name); !strings.Contains(text, "nomsgpack,grpcnotrace") {
			t.Errorf("%s does not build with -tags nomsgpack,grpcnotrace", name)
		}
	}
}

func TestNoLicenceIsClaimed(t *testing.T) {
	if _, err := os.Stat(filepath.Join(root, "LICENSE")); err == nil {
		t.Fatal("there is a LICENSE: name it in the released files, and change this test")
	}
	claim := regexp.MustCompile(`(?i)licen[cs]e`)
	for _, name := range []string{"Dockerfile", "deploy/homebrew/askgate.rb", "deploy/helm/askgate/Chart.yaml", "deploy/helm/askgate/values.yaml"} {
		if found := claim.FindString(readText(t, name)); found != "" {
			t.Errorf("%s speaks of a %s", name, found)
		}
	}
	for _, name := range []string{"docs/README.md", "gateway/web/static/README.md"} {
		if !strings.Contains(readText(t, name), "\nAll rights reserved for now.\n") {
			t.Errorf("%s does not say that all rights are reserved", name)
		}
	}
}

// The chart configures the gateway like the base. gateway/prove/chart, which compares all objects, runs
// less often.
func TestTheChartConfiguresAsTheBase(t *testing.T) {
	var values struct{ Config map[string]string }
	unpack(t, "helm/askgate/values.yaml", &values)
	if got, want := values.Config["gateway.json"], readText(t, "deploy/kubernetes/gateway.json"); got != want {
		t.Errorf("values.yaml has gateway.json as\n%s\nthe base as\n%s", got, want)
	}
}

// The Dockerfile, Compose and its example name the same images by tag, and the Dockerfile has the command
// to pin each.
func TestBaseImagesCanBePinned(t *testing.T) {
	docker := readText(t, "Dockerfile")
	images := regexp.MustCompile(`(?m)^ARG (\w+_IMAGE)=(\S+)$`).FindAllStringSubmatch(docker, -1)
	if len(images) != 2 {
		t.Fatalf("the Dockerfile has the images %q", images)
	}
	for _, m := range images {
		if !strings.Contains(docker, "$(pinned "+m[2]+")") {
			t.Errorf("the Dockerfile does not say how to pin %s", m[2])
		}
		if !strings.Contains(docker, "${"+m[1]+"}") {
			t.Errorf("the Dockerfile does not use %s", m[1])
		}
		if !strings.Contains(readText(t, "deploy/compose/compose.yaml"), "${"+m[1]+":-"+m[2]+"}") || !slices.Contains(strings.Split(readText(t, "deploy/compose/.env.example"), "\n"), m[1]+"="+m[2]) {
			t.Errorf("Compose has another image than %s=%s", m[1], m[2])
		}
	}
}
