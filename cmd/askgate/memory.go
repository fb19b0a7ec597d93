package main

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// Of the memory that this process may have, inFlightShare is for what is in flight, and
// What may be in flight, in bytes: a part of the memory that this process may have.
const (
	inFlightShare = 4 // one in so many
	leastInFlight = 16 << 20
	mostInFlight  = 1 << 30
)

// limitMemory sees to it that garbage is collected before a control group's limit is
// reached, unless GOMEMLIMIT says when, and returns how much may be in flight: 0 where
// nothing limits the memory.
func limitMemory(cgroups string) int64 {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		group := groupLimit(cgroups)
		if group == 0 {
			return 0
		}
		limit = group / 10 * 9
		debug.SetMemoryLimit(limit)
	}
	return min(max(limit/inFlightShare, leastInFlight), mostInFlight)
}

// groupLimit is the least limit of this process's control group and those above it, of
// version 2 or 1; 0 where there is none.
func groupLimit(root string) int64 {
	least := int64(0)
	consider := func(file string) {
		data, err := os.ReadFile(file)
		n, bad := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if err == nil && bad == nil && n > 0 && n < 1<<60 && (least == 0 || n < least) { // "max", or near the largest number: none
			least = n
		}
	}
	data, _ := os.ReadFile("/proc/self/cgroup") // not there: only the root is looked at
	groups := []string{"/"}
	for line := range strings.Lines(string(data)) {
		if _, path, ok := strings.Cut(strings.TrimSpace(line), "::"); ok {
			groups = append(groups, path)
		} else if _, path, ok := strings.Cut(strings.TrimSpace(line), ":memory:"); ok {
			groups = append(groups, path)
		}
	}
	for _, path := range groups {
		for ; ; path = filepath.Dir(path) {
			consider(filepath.Join(root, path, "memory.max"))
			consider(filepath.Join(root, "memory", path, "memory.limit_in_bytes"))
			if path == "/" || path == "." {
				break
			}
		}
	}
	return least
}
