package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/sse"
)

// drainOptions are the options of the drain command.
type drainOptions struct {
	common
	nodes   int
	turns   int
	viewers int // over all turns
	timeout time.Duration
}

// drained is a node that ends by SIGTERM under load, and the results of its clients.
type drained struct {
	o       drainOptions
	cluster *cluster
	leaving *node
	left    atomic.Bool // the leaving node got its SIGTERM
}

// drain ends a node that runs turns and has viewers, and checks that everything in progress
// finishes: there, on another node, or on its successor.
func drain(ctx context.Context, o drainOptions, out io.Writer) error {
	if o.store == sqlite {
		o.nodes = 1
	}
	p, err := newPlant(ctx, o.common)
	if err != nil {
		return err
	}
	defer p.close()
	model := modeltest.NewFunc(nil, play)
	defer model.Close()
	c, err := p.cluster(ctx, o.nodes, model.URL, o.timeout)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.start(ctx); err != nil {
		return err
	}
	d := &drained{o: o, cluster: c, leaving: c.nodes[0]}
	return d.run(ctx, out)
}

// posted is a turn that was running.
type posted struct {
	answered
	err error
}

func (d *drained) run(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	url := d.leaving.url()
	turns, talks := make([]posted, d.o.turns), make([]*talk, d.o.turns)
	var running, posts, viewers sync.WaitGroup
	var told, cut atomic.Int64
	w := &world{cluster: d.cluster}
	for i := range turns {
		chat := fmt.Sprintf("drain%d", i)
		running.Add(1)
		posts.Go(func() {
			turns[i].answered, turns[i].err = d.post(ctx, chatURL(url, appTalk, chat), &running)
		})
		talks[i] = &talk{ctx: ctx, world: w, app: appTalk, chat: chat, close: cancel}
		talks[i].viewer = view(ctx, d.where, appTalk, chat, nil)
	}
	running.Wait()
	var open sync.WaitGroup
	for i := range d.o.viewers - d.o.turns { // in addition to those that come back
		open.Add(1)
		viewers.Go(func() {
			if d.watch(ctx, chatURL(url, appTalk, fmt.Sprintf("drain%d", i%d.o.turns)), &open) {
				told.Add(1)
			} else {
				cut.Add(1)
			}
		})
	}
	open.Wait()

	began := time.Now()
	d.left.Store(true)
	life := d.leaving.present()
	d.leaving.signal(syscall.SIGTERM)
	unready, err := d.unready(ctx, url, began)
	if err != nil {
		return err
	}
	err = life.Wait()
	gone := time.Since(began)
	if err != nil {
		return fmt.Errorf("drain: the node ended with %w\n%s", err, d.leaving.tail())
	}
	posts.Wait()
	viewers.Wait()
	if d.o.nodes == 1 {
		if _, err := d.leaving.start(ctx); err != nil {
			return err
		}
	}
	finished, moved := 0, 0
	for i := range turns {
		switch p := &turns[i]; {
		case p.err != nil:
			return fmt.Errorf("drain: turn %d: %w", i, p.err)
		case p.finish == "stop":
			finished++
		case p.finish == "" && p.retry:
			moved++
		default:
			return fmt.Errorf("drain: turn %d: its stream ended with %q, told to come back: %t", i, p.finish, p.retry)
		}
		v := talks[i].viewer
		if err := talks[i].settle("idle", 0); err != nil {
			return fmt.Errorf("drain: turn %d: %w", i, err)
		}
		v.sees(func(p *picture) bool {
			if p.said() != textSlow {
				err = fmt.Errorf("drain: turn %d is not whole: %q", i, p.said())
			}
			told.Add(int64(v.told))
			cut.Add(int64(v.cut))
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	t := newTable(out, "store", "nodes", "redis", "shutdownTimeout", "turns", "ended there", "moved", "lost",
		"viewers", "told to come back", "cut off", "readyz 503 after", "exit after", "all turns ended after")
	t.row(d.o.store, d.o.nodes, d.o.redis != "", d.o.timeout, d.o.turns, finished, moved, 0, d.o.viewers,
		told.Load(), cut.Load(), unready.Round(time.Millisecond), gone.Round(10*time.Millisecond), time.Since(began).Round(100*time.Millisecond))
	t.end()
	if cut.Load() > 0 {
		return fmt.Errorf("drain: %d viewers' streams broke without a retry", cut.Load())
	}
	return nil
}

// where returns a node for viewers that come back.
func (d *drained) where() string {
	if !d.left.Load() {
		return d.leaving.url()
	}
	return d.cluster.nodes[len(d.cluster.nodes)-1].url()
}

// post begins a turn and reads it to its end. It calls running.Done at the first text, or on return.
func (d *drained) post(ctx context.Context, chat string, running *sync.WaitGroup) (answered, error) {
	var once sync.Once
	defer once.Do(running.Done)
	resp, err := request(ctx, "POST", chat+"/messages", `{"message":"slow"}`)
	if err != nil {
		return answered{}, err
	}
	return read(resp.Body, func(ev sse.Event) {
		if ev.Name == "chunk" {
			once.Do(running.Done)
		}
	})
}

// watch reads one /events stream to its end, and reports whether that came with a retry.
func (d *drained) watch(ctx context.Context, chat string, open *sync.WaitGroup) (told bool) {
	resp, err := request(ctx, "GET", chat+"/events", "")
	open.Done()
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	for ev, err := range sse.Read(resp.Body) {
		if err != nil {
			return false
		}
		told = ev.Retry > 0
	}
	return told
}

// unready polls /readyz until it responds 503. The listener must be open until then.
func (d *drained) unready(ctx context.Context, url string, since time.Time) (time.Duration, error) {
	for {
		resp, err := request(ctx, "GET", url+"/readyz", "")
		var r *refusal
		switch {
		case err == nil:
			resp.Body.Close()
		case errors.As(err, &r) && r.Status == http.StatusServiceUnavailable:
			return time.Since(since), nil
		default:
			return 0, fmt.Errorf("drain: /readyz never turned 503: %w", err)
		}
	}
}

// textSlow is the model's text for "slow": some eight seconds of it.
var textSlow = strings.Repeat("word ", 80) + "end."
