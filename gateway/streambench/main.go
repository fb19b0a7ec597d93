// Command streambench measures streaming through the whole gateway against a
// local scripted upstream, side by side with the "reparse floor": a minimal
// net/http gateway that decodes and re-encodes each chunk and flushes it. All
// four are processes of their own: upstream, floor, gateway, and this client.
//
//	go run ./gateway/streambench            (make bench)
//
// Figures are medians over rounds in which floor and gateway take turns; what to
// look at are the ratios, because machines differ and are noisy.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
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
	flag.StringVar(&o.store, "store", "", "store URL of the gateway; default: SQLite in a temporary directory")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each measurement")
	flag.IntVar(&o.chunks, "chunks", 100_000, "chunks of a flat-out stream")
	flag.IntVar(&o.streams, "streams", 500, "open streams of the memory measurement")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch *role {
	case "upstream":
		return serveUpstream(*listen, o)
	case "floor":
		return serveFloor(*listen, *upstream)
	default:
		return measure(ctx, o)
	}
}
