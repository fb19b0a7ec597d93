package main

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// The parts of the page that this command writes: everything from a heading to the next one.
const (
	headMeasured = "\n## Measured\n"
	headComputed = "\n## What breaks first\n"
)

// rewrite puts what was measured, and what follows from it, into the page.
func rewrite(path string, got results, o options) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s chats, %s streams, three nodes, one PostgreSQL and one Redis on one machine: %s, %s, %d cores, %s.",
		thousands(o.chats), thousands(o.streams), time.Now().UTC().Format(time.DateOnly), machine(), runtime.NumCPU(), runtime.Version())
	page := with(string(text), headMeasured, measured(got, what))
	page = with(page, headComputed, computed(got))
	return os.WriteFile(path, []byte(page), 0o644) //nolint:gosec // a page
}

// with returns the page with another text below a heading.
func with(page, heading, text string) string {
	before, rest, _ := strings.Cut(page, heading)
	_, after, more := strings.Cut(rest, "\n## ")
	if more {
		after = "\n## " + after
	}
	return before + heading + text + after
}

// below returns the text below a heading.
func below(page, heading string) string {
	_, text, _ := strings.Cut(page, heading)
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// chatsAndTurns says what is measured.
const chatsAndTurns = "A chat has four to six short messages; one of ten has a call, one of twenty a question that was answered, one of a hundred a question that waits. A turn is the first message of a chat and some fifty words in reply. Times depend on what else the machine does: compare processor time."

func measured(got results, what string) string {
	var b strings.Builder
	b.WriteString("\n`go run ./gateway/prove/scale -page docs/scale.md` measures this, writes this page, and fails where a figure is above its limit.\n\n")
	b.WriteString(what + " " + chatsAndTurns + "\n\n| what | measured | at most |\n| --- | --- | --- |\n")
	for i, f := range &figures {
		limit := ""
		if f.most > 0 {
			limit = number(f.most) + " " + f.unit
		}
		fmt.Fprintf(&b, "| %s | %s %s | %s |\n", f.name, number(got[figure(i)]), f.unit, limit)
	}
	return b.String()
}

// row matches a row of the table of figures.
var row = regexp.MustCompile(`(?m)^\| (.+?) \| ([0-9.]+) \S+ \| (.*?) \|$`)

// parsed returns the figures of a page.
func parsed(page string) (results, error) {
	rows := row.FindAllStringSubmatch(below(page, headMeasured), -1)
	if len(rows) != len(figures) {
		return nil, fmt.Errorf("the page has %d figures, not %d", len(rows), len(figures))
	}
	got := results{}
	for i, f := range &figures {
		limit := ""
		if f.most > 0 {
			limit = number(f.most) + " " + f.unit
		}
		if rows[i][1] != f.name || rows[i][3] != limit {
			return nil, fmt.Errorf("figure %d of the page is %q with the limit %q, not %q with %q", i, rows[i][1], rows[i][3], f.name, limit)
		}
		var err error
		if got[figure(i)], err = strconv.ParseFloat(rows[i][2], 64); err != nil {
			return nil, err
		}
	}
	return got, nil
}

// What is assumed of a deployment.
const (
	nodeMemory = 2 << 30       // bytes that a node may use for its streams
	turnEvery  = 5 * 60        // seconds between the turns of a person whose chat is open
	leastNodes = 3             // so that two are left when one is replaced
	hundredM   = 100_000_000.0 // chats
)

// loads are the numbers of streams that the page computes for, with what breaks first and the step.
var loads = []struct {
	streams     float64
	first, step string
}{
	{10_000, "nothing; one node would do, but not while it is replaced", "run three nodes"},
	{100_000, "the connections that PostgreSQL allows: a node takes [8 to 32](store.md#postgresql), and the server has 100 by default; then the open files and ports of the proxy in front", "raise `max_connections`, or set `pool_max_conns`; spread the proxy over several addresses"},
	{1_000_000, "Redis, which runs scripts on one core; then PostgreSQL's cores", "use a [Redis Cluster](nodes.md#redis); give each group of tenants a separate database and nodes"},
}

// computed is what follows from the figures, as they are rounded on the page.
func computed(got results) string {
	at := func(f figure) float64 {
		n, _ := strconv.ParseFloat(number(got[f]), 64)
		return n
	}
	var b strings.Builder
	fmt.Fprintf(&b, `
All of this is computed from the figures above, not measured. It assumes %d GiB for the streams of a node, and a short turn every %d minutes in each open chat. Long answers cost nodes and Redis [more](measurements.md#streams-and-turns); models and networks are left out.

| streams | turns | nodes | memory | cores of nodes | cores of PostgreSQL | core of Redis | breaks first | the step |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
`, nodeMemory>>30, turnEvery/60)
	for _, l := range loads {
		turns, bytes := l.streams/turnEvery, l.streams*at(memoryPerStream)
		nodes := max(leastNodes, math.Ceil(bytes/nodeMemory))
		fmt.Fprintf(&b, "| %s | %s/s | %.0f | %s | %s | %s | %.0f %% | %s | %s |\n", thousands(int(l.streams)), number(math.Round(turns)), nodes, size(bytes),
			number(turns*at(turnCPU)/1000+nodes*at(idleCPU)/100), number(turns*at(turnPostgres)/1000), turns*at(turnRedis)/10, l.first, l.step)
	}
	bytes := hundredM * at(bytesPerChat)
	fmt.Fprintf(&b, `
At 100 million chats, the database has %s; a million questions that wait are %s of it. Lists, searches and looks for what is due read one person's rows, or an index of what waits, so they do not get slower. What breaks first is the care of the database: a backup, a restore or a new index takes hours, and indexes no longer fit into memory. Delete old chats ([retention](store.md#retention)), take backups from a replica, and give each group of tenants a separate database and nodes: no query crosses tenants.

When a node with 20,000 viewers is replaced, the others spend %s s of processor time on those who come back.
`, size(bytes), size(1e6*at(bytesPerQuestion)), number(20_000*at(restartCPU)/1000))
	return b.String()
}

// size writes bytes.
func size(bytes float64) string {
	switch {
	case bytes >= 1e12:
		return number(bytes/1e12) + " TB"
	case bytes >= 1e9:
		return number(bytes/1e9) + " GB"
	default:
		return number(bytes/1e6) + " MB"
	}
}

// thousands writes a count with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// machine is the processor's name.
func machine() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`model name\s*: (.+)`).FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return "unknown processor"
}
