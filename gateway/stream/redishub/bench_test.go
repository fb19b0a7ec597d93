package redishub_test

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/prove/redistest"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/stream/hubtest"
)

// BenchmarkEvents carries events from runs to one follower each, in process and through Redis to
// another node, in the same run: 64 runs at a time, each event flushed on its own.
func BenchmarkEvents(b *testing.B) {
	redistest.Run(b, func(b *testing.B, server string) {
		const events = 2000
		prefix := redistest.Prefix(b, server)
		local, near, far := stream.NewLocal(), open(b, server, prefix), open(b, server, prefix)
		var inProcess, throughRedis time.Duration
		n := 0
		for b.Loop() {
			inProcess += carry(b, local, local, "local"+strconv.Itoa(n), events)
			throughRedis += carry(b, near, far, "redis"+strconv.Itoa(n), events)
			n++
		}
		total := float64(n * runs * events)
		b.ReportMetric(total/inProcess.Seconds(), "events/s-in-process")
		b.ReportMetric(total/throughRedis.Seconds(), "events/s-redis")
		b.ReportMetric(inProcess.Seconds()/throughRedis.Seconds(), "redis/in-process")
		b.ReportMetric(0, "ns/op")
	})
}

const runs = 64

func carry(b *testing.B, from, to stream.Hub, topic string, events int64) time.Duration {
	var followers [runs]stream.Follower
	for i := range followers {
		followers[i] = to.Follow(topic + "-" + strconv.Itoa(i))
	}
	began := time.Now()
	var wg sync.WaitGroup
	for i, f := range followers {
		wg.Go(func() {
			defer f.Close()
			for {
				got, err := f.Next(b.Context())
				if err != nil {
					b.Error(err)
					return
				}
				if got.End {
					return
				}
			}
		})
		wg.Go(func() {
			rec := hubtest.Begin(from, topic+"-"+strconv.Itoa(i), chat.EventID{}, 1)
			for range events {
				rec.Chunk(chat.EventChunk, []byte(" token"))
				rec.Flush()
			}
			hubtest.End(rec)
		})
	}
	wg.Wait()
	return time.Since(began)
}

// BenchmarkChunk measures the run's side: the cost of a chunk while others follow through Redis.
func BenchmarkChunk(b *testing.B) {
	redistest.Run(b, func(b *testing.B, server string) {
		rec := hubtest.Begin(open(b, server, redistest.Prefix(b, server)), "topic", chat.EventID{}, 1)
		defer rec.Close()
		b.ReportAllocs()
		for b.Loop() {
			rec.Chunk(chat.EventChunk, []byte(" token"))
			rec.Flush()
		}
	})
}

// BenchmarkLatency measures how long one event takes from a run to a follower on another node.
func BenchmarkLatency(b *testing.B) {
	redistest.Run(b, func(b *testing.B, server string) {
		prefix := redistest.Prefix(b, server)
		near, far := open(b, server, prefix), open(b, server, prefix)
		f := far.Follow("topic")
		defer f.Close()
		rec := hubtest.Begin(near, "topic", chat.EventID{}, 1)
		defer rec.Close()
		for b.Loop() {
			rec.Chunk(chat.EventChunk, []byte(" token"))
			rec.Flush()
			if _, err := f.Next(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
