package main

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// Requests and responses in flight may take 1/inFlightShare of the memory that this process may use,
// within leastInFlight and mostInFlight bytes.
const (
	inFlightShare = 4
	leastInFlight = 16 << 20
	mostInFlight  = 1 << 30
)

// limitMemory sets the memory limit of the Go runtime to 90 % of the control group's limit, so that
// garbage is collected before that limit is reached. GOMEMLIMIT takes precedence. It returns how many
// bytes may be in flight: 0 if nothing limits the memory.
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

// groupLimit returns the lowest memory limit, in bytes, of this process's control group and the groups
// above it, of version 2 or 1, mounted at root. It returns 0 if there is no limit.
func groupLimit(root string) int64 {
	least := int64(0)
	consider := func(file string) {
		data, err := os.ReadFile(file)
		n, bad := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if err == nil && bad == nil && n > 0 && n < 1<<60 && (least == 0 || n < least) { // "max" and numbers near the largest mean no limit
			least = n
		}
	}
	data, _ := os.ReadFile("/proc/self/cgroup") // if it is missing, only the root group counts
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
