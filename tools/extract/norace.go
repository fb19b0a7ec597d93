//go:build !race

package extract

// detected reports that the race detector is compiled in: its own memory exceeds any limit.
const detected = false
