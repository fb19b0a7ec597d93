// Command streambench measures the whole gateway under load, side by side with a
// floor: a minimal net/http gateway that decodes, encodes and flushes each chunk,
// and does nothing else. Upstream, floor, gateway and client are processes of
// their own.
//
//	go run ./gateway/prove/streambench                       (make bench)
//	go run ./gateway/prove/streambench -askgate A -other B   two builds in one run
//	go run ./gateway/prove/streambench -only short -rounds 9
//	go run ./gateway/prove/streambench -guard -askgate A -other B   fails if A needs more processor time than B
//	go run ./gateway/prove/streambench -fronts -only flat,short   each front, as a ratio to the native protocol
//	go run ./gateway/prove/streambench -fronts=ai-sdk -askgate A -other B   one front of two builds
//
// Machines differ and are noisy, so the figures to look at are ratios to the
// floor: the median over rounds, in each of which floor and gateway take turns.
// The gateway has one processor (GOMAXPROCS=1). Where the machine has two and
// taskset, it also has a processor to itself, and client and upstream share another.
//
// Each measurement starts a new server, on an empty store, and lets it warm up. The workload "shared"
// has PostgreSQL and Redis, at ASKGATE_TEST_POSTGRES and ASKGATE_TEST_REDIS; without these variables it
// is left out.
// Every turn is the first of a new chat, so that its cost does not depend on how
// long the benchmark has run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "streambench:", err)
		os.Exit(1)
	}
}

func run() error {
	role := flag.String("role", "", "internal: upstream or floor")
	listen := flag.String("listen", "", "internal: address")
	upstream := flag.String("upstream", "", "internal: URL of the upstream")
	var o options
	flag.StringVar(&o.askgate, "askgate", "", "the gateway's binary; default: built from this module")
	flag.StringVar(&o.other, "other", "", "a second binary of the gateway, to be measured in the same rounds")
	flag.StringVar(&o.store, "store", "", "store URL of the gateway; default: a new SQLite file for each measurement")
	flag.StringVar(&o.only, "only", "", "the names of the workloads to run, separated by commas; default: all")
	flag.BoolFunc("fronts", "compare the fronts with the native protocol, in place of the gateway with a floor; with names, separated by commas, these (-fronts=ai-sdk)", func(names string) error {
		o.fronts, o.front = true, names
		return nil
	})
	flag.BoolVar(&o.guard, "guard", false, "with -other: fail if a short turn or a chunk takes over 5 % more processor time than with the other, by the median of the rounds, in two runs")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each workload")
	flag.Float64Var(&o.seconds, "seconds", 4, "seconds of load in each measurement, after a warm-up of half as long")
	flag.IntVar(&o.open, "open", 1000, "open streams of the workload that measures memory")
	flag.Parse()
	if o.guard && o.other == "" {
		return errors.New("-guard needs -other: the binary to compare with")
	}
	testenv.Clear()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch *role {
	case "upstream":
		return serveUpstream(*listen)
	case "floor":
		return serveFloor(*listen, *upstream)
	default:
		return measure(ctx, o)
	}
}
