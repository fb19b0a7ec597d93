package main_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// clientsPage lists the clients that tests run. A row that names a folder with a package.json
// lists its packages and versions: `name` 1.2.3, 1.3.0.
const clientsPage = "docs/fronts/clients.md"

// The page of clients lists each client that the tests run, with the tested versions.
func TestClientsPageHasTheVersionsThatRun(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, clientsPage))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string][]string{} // by folder
	inRow := regexp.MustCompile("`(gateway/prove/[^`]+)`")
	for row := range strings.Lines(string(page)) {
		m := inRow.FindStringSubmatch(row)
		if m == nil || !strings.HasPrefix(row, "|") {
			continue
		}
		told[m[1]] = append(told[m[1]], versionsInRow(row)...)
	}
	for folder, versions := range told {
		clients, tools := pinned(t, folder)
		for _, v := range versions {
			if !slices.Contains(clients, v) && !slices.Contains(tools, v) {
				t.Errorf("%s has %s in a row of %s, whose package.json has %s", clientsPage, v, folder, strings.Join(slices.Concat(clients, tools), ", "))
			}
		}
	}
	err = filepath.WalkDir(filepath.Join(root, "gateway/prove"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "package.json" {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		clients, _ := pinned(t, folder)
		for _, v := range clients {
			if !slices.Contains(told[folder], v) {
				t.Errorf("%s has no row of %s with %s, which its test runs", clientsPage, folder, v)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// versionsInRow returns the packages of a row, each with one version: "ai 7.0.1".
func versionsInRow(row string) (list []string) {
	for _, m := range regexp.MustCompile("`([@a-z0-9./-]+)` (\\d+\\.\\d+\\.\\d+[^ |,]*(?:, \\d+\\.\\d+\\.\\d+[^ |,]*)*)").FindAllStringSubmatch(row, -1) {
		for v := range strings.SplitSeq(m[2], ", ") {
			list = append(list, m[1]+" "+v)
		}
	}
	return list
}

// pinned returns the packages of a folder's package.json, and those that are only needed to build it,
// with their names on npm and versions.
func pinned(t *testing.T, folder string) (clients, tools []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, folder, "package.json"))
	if err != nil {
		t.Fatalf("%s names a folder without a package.json: %v", clientsPage, err)
	}
	var pkg struct {
		Dependencies, DevDependencies map[string]string
	}
	if err := json.Unmarshal(data, &pkg); err != nil {
		t.Fatal(err)
	}
	list := func(of map[string]string) (all []string) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			version := of[name]
			if alias, is := strings.CutPrefix(version, "npm:"); is {
				at := strings.LastIndex(alias, "@")
				name, version = alias[:at], alias[at+1:]
			}
			all = append(all, name+" "+version)
		}
		return all
	}
	return list(pkg.Dependencies), list(pkg.DevDependencies)
}
