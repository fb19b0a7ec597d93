// Command scale fills a PostgreSQL database with many chats, opens idle streams on three nodes, and
// fails where the gateway misses the limits that docs/scale.md names.
//
//	go run ./gateway/prove/scale                                 10,000,000 chats (35 GB), 10,000 streams
//	go run ./gateway/prove/scale -chats 100000 -streams 1000     the part that .ci/run full runs
//	go run ./gateway/prove/scale -page docs/scale.md             and write what was measured to the page
//
// It needs ASKGATE_TEST_POSTGRES, the URL of a server on this machine where it may create a database,
// and ASKGATE_TEST_REDIS. The database is dropped at the end.
//
//	template ── one person's chats, made through a gateway ── their rows
//	   │                                                        │ with other ids, people and times
//	   └── COPY: as many people as it takes, each with these chats
//	streams ── on three nodes: at rest; lists and searches meanwhile; turns
//	losses  ── one node is killed with turns; then each node is replaced
//
// The list of figures in figures.go has the limits. Times are medians, since other programs may use
// the machine; costs are processor time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// options say how much to try.
type options struct {
	chats    int
	streams  int
	turns    int // that are lost with their node
	askgate  string
	page     string
	postgres string
	redis    string
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run() error {
	var o options
	flag.IntVar(&o.chats, "chats", 10_000_000, "chats in the database, in hundreds; 3.5 KB each")
	flag.IntVar(&o.streams, "streams", 10_000, "idle streams on the three nodes; each takes two of this machine's open files")
	flag.IntVar(&o.turns, "turns", 100, "turns that run on the node that is killed")
	flag.StringVar(&o.askgate, "askgate", "", "the gateway's binary; default: built from this module")
	flag.StringVar(&o.page, "page", "", "write the figures to this page, docs/scale.md")
	flag.Parse()
	o.postgres, o.redis = os.Getenv("ASKGATE_TEST_POSTGRES"), os.Getenv("ASKGATE_TEST_REDIS")
	if o.postgres == "" || o.redis == "" {
		return errors.New("set ASKGATE_TEST_POSTGRES to the URL of a PostgreSQL server on this machine, such as " +
			"postgres://postgres@127.0.0.1:5432/test, and ASKGATE_TEST_REDIS to that of a Redis server, such as redis://127.0.0.1:6379/0")
	}
	if err := enoughFiles(o.streams); err != nil {
		return err
	}
	testenv.Clear()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return measure(ctx, o)
}

// spare is how many files a process opens in addition to its streams.
const spare = 500

// enoughFiles fails if this process may not open so many connections. Go has raised the limit as far as
// it may.
func enoughFiles(streams int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Cur < uint64(streams+spare) {
		return fmt.Errorf("this process may open %d files, and %d streams need %d; raise the limit (ulimit -n), or set -streams", limit.Cur, streams, streams+spare)
	}
	return nil
}

// measure does everything.
func measure(ctx context.Context, o options) error {
	d, err := newDatabase(ctx, o.postgres)
	if err != nil {
		return err
	}
	defer d.drop()
	f, err := newFleet(ctx, o, d.url)
	if err != nil {
		return err
	}
	defer f.close()
	got := results{}
	begun := time.Now()
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"making the template", f.template},
		{"filling the database", func(ctx context.Context) error { return fill(ctx, d, o.chats) }},
		{"measuring the database", func(ctx context.Context) error { return d.measure(ctx, o.chats, got) }},
		{"starting nodes", f.start},
		{"nodes without streams", func(ctx context.Context) error { return f.alone(ctx, d) }},
		{"opening streams", f.open},
		{"streams at rest", func(ctx context.Context) error { return f.rest(ctx, d, got) }},
		{"lists and searches", func(ctx context.Context) error { return f.read(ctx, got) }},
		{"turns", func(ctx context.Context) error { return f.talk(ctx, d, got) }},
		{"killing a node", func(ctx context.Context) error { return f.kill(ctx, got) }},
		{"replacing all nodes", func(ctx context.Context) error { return f.replace(ctx, got) }},
	} {
		fmt.Fprintf(os.Stderr, "%s (after %s)\n", step.what, time.Since(begun).Round(time.Second))
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	if o.page != "" {
		if err := rewrite(o.page, got, o); err != nil {
			return err
		}
	}
	return got.print(os.Stdout, o)
}
