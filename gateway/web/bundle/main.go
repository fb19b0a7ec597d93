// Command bundle writes what the gateway's own pages load: gateway/web/static, minified and joined,
// to gateway/web/dist. Run it after a change there, as "make bundle" or go generate ./gateway/web.
//
//	static/*.html ──> the files that they name ── esbuild ──> dist/name-HASH.min.js, .min.css
//	              └───────── names replaced, modules preloaded ──> dist/*.html
//
// The output depends only on the files in static. A name contains the hash of the file's content, so
// browsers keep the file for good.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run("static", "dist"); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// run replaces the content of the folder dist with what the sources in static give. Both are below
// gateway/web, where go generate runs this.
func run(static, dist string) error {
	files, err := build(static)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dist, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
