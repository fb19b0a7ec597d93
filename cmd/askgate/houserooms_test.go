// These tests limit the methods of a type, and the dependencies between the files of a package.
package main_test

import (
	"errors"
	"go/ast"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	maxMethods = 45 // of one type
	maxUp      = 15 // arrows up between the files of one package
)

// TestNoTypeDoesTooMuch prints, with -v, the type with the most methods of each package. Methods of
// embedded types do not count.
func TestNoTypeDoesTooMuch(t *testing.T) {
	for _, room := range productRooms(t) {
		methods := map[string]int{}
		for _, f := range room.files {
			for _, d := range f.tree.Decls {
				if name := receiver(d); name != "" {
					methods[name]++
				}
			}
		}
		largest := ""
		for _, name := range slices.Sorted(maps.Keys(methods)) {
			if methods[name] > methods[largest] {
				largest = name
			}
			if methods[name] > maxMethods {
				t.Errorf("%s: %s has %d methods (limit %d): split it along what it owns", room.path, name, methods[name], maxMethods)
			}
		}
		if methods[largest] > 20 {
			t.Logf("%4d methods: %s.%s", methods[largest], room.path, largest)
		}
	}
}

// TestFilesOfAPackageRunDownhill orders the files of each package so that as few arrows as possible
// point up. File A has an arrow to B if it uses a name that B defines. A reader who starts
// at the top must turn back once for each arrow up. With -v it prints them all.
func TestFilesOfAPackageRunDownhill(t *testing.T) {
	for _, room := range productRooms(t) {
		arrows := room.arrows()
		up := arrowsUp(arrows)
		if len(up) > maxUp {
			t.Errorf("%s: %d arrows between files run up (limit %d)", room.path, len(up), maxUp)
		}
		if len(up) > 0 {
			t.Logf("%3d of %3d arrows up: %s: %s", len(up), arrows.count(), room.path, strings.Join(up, ", "))
		}
	}
}

type packageRoom struct {
	path  string
	files []file
}

// kit matches the packages that only tests and developers use.
var kit = regexp.MustCompile(`^gateway/prove/|(test|eval|bench)$|/modeltest/`)

// productRooms returns the packages that are shipped, without their tests.
func productRooms(t *testing.T) []packageRoom {
	byPath := map[string][]file{}
	for _, f := range house(t) {
		if !f.test && !kit.MatchString(f.room) {
			byPath[f.room] = append(byPath[f.room], f)
		}
	}
	var all []packageRoom
	for _, p := range slices.Sorted(maps.Keys(byPath)) {
		all = append(all, packageRoom{p, byPath[p]})
	}
	return all
}

// receiver returns the type of which a declaration is a method, or "".
func receiver(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv == nil {
		return ""
	}
	name := ""
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// fileArrows maps each file to the files whose names it uses.
type fileArrows map[string]map[string]bool

func (a fileArrows) count() int {
	n := 0
	for _, to := range a {
		n += len(to)
	}
	return n
}

// arrows resolves the names of the package. Those of other packages stay unknown, which does not matter.
func (r packageRoom) arrows() fileArrows {
	var trees []*ast.File
	for _, f := range r.files {
		trees = append(trees, f.tree)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	loader := types.Config{Importer: noImports{}, Error: func(error) {}, FakeImportC: true}
	pkg, _ := loader.Check(r.path, houseSet, trees, &info)
	arrows := fileArrows{}
	for _, f := range r.files {
		arrows[path.Base(f.name)] = map[string]bool{}
	}
	for use, of := range info.Uses {
		if of.Pkg() != pkg || !shared(of, pkg) {
			continue
		}
		from, to := path.Base(houseSet.Position(use.Pos()).Filename), path.Base(houseSet.Position(of.Pos()).Filename)
		if from != to {
			arrows[from][to] = true
		}
	}
	return arrows
}

// shared reports whether a name is one of the package, or a method, and not a field or a local
// name. (Files that share a struct use the name of its type.)
func shared(of types.Object, pkg *types.Package) bool {
	if f, ok := of.(*types.Func); ok {
		return f.Pos().IsValid()
	}
	return of.Parent() == pkg.Scope()
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not loaded") }

// arrowsUp orders the files and returns the arrows that point against the order. It uses the method of
// Eades, Lin and Smyth (1993): sinks to the end, sources to the front, otherwise the file with
// the largest surplus of outgoing arrows; then it moves files while that reduces the arrows up.
func arrowsUp(arrows fileArrows) []string {
	line := lineUp(arrows)
	for better := true; better; {
		better = false
		for _, name := range slices.Clone(line) {
			at := slices.Index(line, name)
			rest := slices.Delete(slices.Clone(line), at, at+1)
			best, fewest := at, len(against(arrows, line))
			for to := range len(line) {
				if n := len(against(arrows, slices.Insert(slices.Clone(rest), to, name))); n < fewest {
					best, fewest = to, n
				}
			}
			if best != at {
				line, better = slices.Insert(rest, best, name), true
			}
		}
	}
	return against(arrows, line)
}

func lineUp(arrows fileArrows) []string {
	var front, back []string
	left := slices.Sorted(maps.Keys(arrows))
	for len(left) > 0 {
		pick, most := 0, -len(arrows)-1
		for i, name := range left {
			out, in := 0, 0
			for _, other := range left {
				if arrows[name][other] {
					out++
				}
				if arrows[other][name] {
					in++
				}
			}
			switch {
			case out == 0:
				out, in = 0, -2*len(arrows)
			case in == 0:
				out = len(arrows)
			}
			if out-in > most {
				pick, most = i, out-in
			}
		}
		if most == 2*len(arrows) {
			back = append(back, left[pick])
		} else {
			front = append(front, left[pick])
		}
		left = slices.Delete(left, pick, pick+1)
	}
	slices.Reverse(back)
	return append(front, back...)
}

func against(arrows fileArrows, line []string) []string {
	place := map[string]int{}
	for i, name := range line {
		place[name] = i
	}
	var up []string
	for _, from := range line {
		for _, to := range slices.Sorted(maps.Keys(arrows[from])) {
			if place[to] < place[from] {
				up = append(up, from+" -> "+to)
			}
		}
	}
	return up
}
