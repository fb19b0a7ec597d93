package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// firstOptions are the options of the first command.
type firstOptions struct {
	common
	stores string
	chats  int // per store and round
	rounds int
}

// first measures the time to the first chunk of a new chat on each store, alternating between them.
func first(ctx context.Context, o firstOptions, out io.Writer) error {
	kinds := strings.Split(o.stores, ",")
	var worlds []*world
	defer func() {
		for _, w := range worlds {
			w.close()
		}
	}()
	o.store = kinds[0]
	p, err := newPlant(ctx, o.common)
	if err != nil {
		return err
	}
	defer p.close()
	for _, kind := range kinds {
		if p.databases, err = newDatabases(kind, p.dir); err != nil {
			return err
		}
		w, err := p.world(ctx, 1, nil)
		if err != nil {
			return err
		}
		worlds = append(worlds, w)
	}
	times := make([][]time.Duration, len(kinds))
	for round := range o.rounds + 1 { // the first warms up
		for i, w := range worlds {
			for n := range o.chats {
				took, err := firstChunk(ctx, chatURL(w.front(), appTalk, fmt.Sprintf("first%d-%d", round, n)))
				if err != nil {
					return err
				}
				if round > 0 {
					times[i] = append(times[i], took)
				}
			}
		}
	}
	t := newTable(out, "store", "chats", "first chunk p50", "p99", "ratio of p50 to "+kinds[0])
	for i, kind := range kinds {
		slices.Sort(times[i])
		t.row(kind, len(times[i]), quantile(times[i], 0.50), quantile(times[i], 0.99),
			fmt.Sprintf("%.2f", float64(quantile(times[i], 0.50))/float64(quantile(times[0], 0.50))))
	}
	t.end()
	return nil
}

// firstChunk is the time from a new chat's message to its first text.
func firstChunk(ctx context.Context, chat string) (took time.Duration, err error) {
	started := time.Now()
	resp, err := request(ctx, "POST", chat+"/messages", `{"message":"quick"}`)
	if err != nil {
		return 0, err
	}
	var once sync.Once
	a, err := read(resp.Body, func(ev sse.Event) {
		if ev.Name == "chunk" {
			once.Do(func() { took = time.Since(started) })
		}
	})
	if err == nil && (a.finish != "stop" || took == 0) {
		err = errors.New("a new chat's answer broke off")
	}
	return took, err
}
