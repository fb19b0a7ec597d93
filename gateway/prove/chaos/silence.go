package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/sse"
)

// silenceOptions are the options of the silence command.
type silenceOptions struct {
	common
	nodes, turns int
	lengths      []time.Duration
}

const (
	// spareRequests is how many more requests than needed the model may get.
	spareRequests = 2
	// backWithin limits how soon a dead node's turns have to continue after the store's return.
	backWithin = 15 * time.Second
)

// silence holds all traffic between nodes and store for a while, in the middle of turns: once with
// all nodes alive, once with one that dies meanwhile. No live turn may ask its model again, and
// those of the dead node must continue soon after.
func silence(ctx context.Context, o silenceOptions, out io.Writer) error {
	if o.store == sqlite {
		return errors.New("silence: several nodes need -store postgres")
	}
	p, err := newPlant(ctx, o.common)
	if err != nil {
		return err
	}
	defer p.close()
	t := newTable(out, "silent for", "nodes that die", "turns", "requests", "went on after")
	for _, length := range o.lengths {
		for _, dying := range []int{0, 1} {
			requests, after, err := o.round(ctx, p, length, dying)
			if err != nil {
				return fmt.Errorf("silence: %v, %d nodes die: %w", length, dying, err)
			}
			t.row(length, dying, o.turns, requests, after.Round(100*time.Millisecond))
			if most := o.turns + dying*o.turns/o.nodes + spareRequests; requests > most {
				err = fmt.Errorf("silence: %v, %d nodes die: the model was asked %d times, want at most %d", length, dying, requests, most)
			} else if after > backWithin {
				err = fmt.Errorf("silence: %v, %d nodes die: a turn continued %v after the store's return", length, dying, after)
			}
			if err != nil {
				t.end()
				return err
			}
		}
	}
	t.end()
	return nil
}

// round is one silence. It returns the number of requests to the model, and the time of the last
// one after the store's return.
func (o *silenceOptions) round(ctx context.Context, p *plant, length time.Duration, dying int) (requests int, after time.Duration, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	var asked []time.Time
	model := modeltest.NewFunc(nil, func(n int, r modeltest.Request) modeltest.Response {
		mu.Lock()
		asked = append(asked, time.Now())
		mu.Unlock()
		return play(n, r)
	})
	defer model.Close()
	c, err := p.cluster(ctx, o.nodes, model.URL, time.Second)
	if err != nil {
		return 0, 0, err
	}
	defer c.close()
	l, through, err := newLink(c.store)
	if err != nil {
		return 0, 0, err
	}
	defer l.close()
	for _, n := range c.nodes {
		n.args = slices.Clone(n.args)
		n.args[slices.Index(n.args, c.store)] = through
	}
	if err := c.start(ctx); err != nil {
		return 0, 0, err
	}
	posts, err := o.begin(ctx, c)
	if err != nil {
		return 0, 0, err
	}
	l.hold(length)
	returned := time.Now().Add(length)
	for _, n := range c.nodes[:dying] {
		n.signal(syscall.SIGKILL)
	}
	finished := posts()
	for i := range o.turns {
		if i%o.nodes >= dying && finished[i] != "stop" {
			return 0, 0, fmt.Errorf("turn %d of a live node ended with %q", i, finished[i])
		}
		if err := o.whole(ctx, c.nodes[len(c.nodes)-1].url(), i); err != nil {
			return 0, 0, err
		}
	}
	mu.Lock()
	defer mu.Unlock()
	return len(asked), max(0, asked[len(asked)-1].Sub(returned)), nil
}

func silenceChat(i int) string { return fmt.Sprintf("silence%d", i) }

// begin begins the turns on all nodes, and returns when the first text of each has arrived. posts
// waits for their streams, and reports how each ended.
func (o *silenceOptions) begin(ctx context.Context, c *cluster) (posts func() []string, err error) {
	var all, running sync.WaitGroup
	finished, errs := make([]string, o.turns), make([]error, o.turns)
	for i := range o.turns {
		running.Add(1)
		all.Go(func() {
			var once sync.Once
			defer once.Do(running.Done)
			resp, err := request(ctx, "POST", chatURL(c.nodes[i%o.nodes].url(), appTalk, silenceChat(i))+"/messages", `{"message":"slow"}`)
			if err != nil {
				errs[i] = err
				return
			}
			a, err := read(resp.Body, func(ev sse.Event) {
				if ev.Name == "chunk" {
					once.Do(running.Done)
				}
			})
			finished[i], errs[i] = a.finish, err
		})
	}
	running.Wait()
	return func() []string { all.Wait(); return finished }, errors.Join(errs...)
}

// whole waits until the chat's turn is over, and checks that it contains its text once.
func (o *silenceOptions) whole(ctx context.Context, base string, i int) error {
	var got struct {
		Status   string
		Messages []struct{ Role, Content string }
	}
	err := wait(ctx, "a turn is over", func(ctx context.Context) (bool, error) {
		resp, err := request(ctx, "GET", chatURL(base, appTalk, silenceChat(i)), "")
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		return got.Status == "idle", json.NewDecoder(resp.Body).Decode(&got)
	})
	if err == nil && (len(got.Messages) != 2 || got.Messages[1].Content != textSlow) {
		err = fmt.Errorf("turn %d is incomplete: %+v", i, got.Messages)
	}
	return err
}
