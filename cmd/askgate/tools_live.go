//go:build !crashpoints

package main

import "github.com/askgate/askgate/toolexec"

// instrument returns factories unchanged. A build with the tag crashpoints replaces a tool in it.
func instrument(factories toolexec.Factories) toolexec.Factories { return factories }
