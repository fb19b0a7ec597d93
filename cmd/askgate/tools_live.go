//go:build !crashpoints

package main

import "github.com/askgate/askgate/toolexec"

// instrument is where a build with the tag crashpoints puts a tool of its own.
func instrument(factories toolexec.Factories) toolexec.Factories { return factories }
