package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// figure is the number of a row of the table of figures.
type figure int

// The figures.
const (
	bytesPerChat figure = iota
	bytesPerQuestion
	idleBase
	idleStreams
	idleCPU
	memoryPerStream
	list
	search
	turnsPerSecond
	turnCPU
	turnPostgres
	turnRedis
	takeover
	restartSeconds
	restartCPU
	count
)

// figures has what is measured, its unit, and the most that it may be; 0: any. The page shows the same.
// Limits of times and processor time leave room for slow machines; the page has what one took.
var figures = [count]struct {
	name, unit string
	most       float64
}{
	bytesPerChat:     {"a chat in the database, with its indexes", "bytes", 8000},
	bytesPerQuestion: {"a question in it", "bytes", 6000},
	idleBase:         {"a node without streams: transactions", "/s", 20},
	idleStreams:      {"in addition with its idle streams", "/s", 1},
	idleCPU:          {"a node with idle streams: processor", "%", 15},
	memoryPerStream:  {"memory of the nodes for each stream", "bytes", 150_000},
	list:             {"a page of 50 chats, median", "ms", 100},
	search:           {"a search in a person's chats, median", "ms", 200},
	turnsPerSecond:   {"turns of three nodes", "/s", 0},
	turnCPU:          {"a turn: processor of the node", "ms", 15},
	turnPostgres:     {"a turn: processor of PostgreSQL", "ms", 15},
	turnRedis:        {"a turn: processor of Redis", "ms", 5},
	takeover:         {"after a kill, the last turn goes on within", "s", 15},
	restartSeconds:   {"after SIGTERM, a node's viewers are back within", "s", 60},
	restartCPU:       {"a viewer who comes back: processor of the others", "ms", 5},
}

// results are what was measured.
type results map[figure]float64

// print prints the figures, and fails if one misses its limit.
func (r results) print(out io.Writer, o options) error {
	fmt.Fprintf(out, "%d chats, %d streams, %d lost turns\n", o.chats, o.streams, o.turns)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	missed := 0
	for i, f := range &figures {
		got, limit, note := r[figure(i)], "", ""
		if f.most > 0 {
			limit = "at most " + number(f.most)
		}
		if f.most > 0 && got > f.most {
			note = "MISSED"
			missed++
		}
		fmt.Fprintf(t, "%s\t%s %s\t%s\t%s\n", f.name, number(got), f.unit, limit, note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if missed > 0 {
		return fmt.Errorf("%d figures miss their limits", missed)
	}
	return nil
}

// number writes a number with as many digits as mean something.
func number(n float64) string {
	switch {
	case n >= 100 || n == float64(int(n)):
		return fmt.Sprintf("%.0f", n)
	case n >= 10:
		return fmt.Sprintf("%.1f", n)
	default:
		return fmt.Sprintf("%.2f", n)
	}
}
