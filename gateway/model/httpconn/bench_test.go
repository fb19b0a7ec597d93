package httpconn_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model/httpconn"
	"github.com/askgate/askgate/gateway/model/modeltest"
)

// serverVariable makes this program the benchmark's model server: a process of its own, so that its
// memory and CPU are not counted.
const serverVariable = "DIRECT_BENCH_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) == "" {
		os.Exit(m.Run())
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	http.Handle("/steady", modeltest.Generator{Chunks: 1 << 30, Rate: 200, Size: 24})
	panic(http.Serve(l, nil))
}

func serve(b *testing.B) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), serverVariable+"=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return "http://" + strings.TrimSpace(address)
}

// used is the CPU time of this process.
func used() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// memory is the size of heap and stacks.
func memory() uint64 {
	runtime.GC()
	runtime.GC() // pools are empty after the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// BenchmarkOpenStreams reads 100 streams of 200 chunks/s each. The memory of an open stream and the
// CPU time of a chunk are the figures in the package comment.
func BenchmarkOpenStreams(b *testing.B) {
	const streams = 100
	for _, side := range []struct {
		name string
		rt   http.RoundTripper
	}{
		{"direct", httpconn.NewTransport()},
		{"net", &http.Transport{
			DisableCompression: true, MaxIdleConnsPerHost: 1024, ReadBufferSize: 1 << 10, WriteBufferSize: 1 << 10,
		}},
	} {
		b.Run(side.name, func(b *testing.B) {
			address := serve(b)
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			var chunks atomic.Int64
			var open, over sync.WaitGroup
			before := memory()
			for range streams {
				open.Add(1)
				over.Go(func() {
					req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/steady", strings.NewReader("x"))
					if err != nil {
						b.Error(err)
						return
					}
					resp, err := side.rt.RoundTrip(req)
					open.Done()
					if err != nil {
						b.Error(err)
						return
					}
					defer resp.Body.Close()
					count(resp.Body, &chunks)
				})
			}
			open.Wait()
			for chunks.Load() < 10*streams {
				time.Sleep(time.Millisecond)
			}
			held := memory() - before
			from, cpu := chunks.Load(), used()
			b.ResetTimer()
			for chunks.Load() < from+int64(b.N) {
				time.Sleep(time.Millisecond)
			}
			n := chunks.Load() - from
			b.ReportMetric(float64((used()-cpu).Microseconds())/float64(n), "CPU-us/chunk")
			b.ReportMetric(float64(held)/1024/streams, "KiB/stream")
			b.StopTimer()
			cancel()
			over.Wait()
		})
	}
}

// count counts the chunks of a body.
func count(body io.Reader, chunks *atomic.Int64) {
	lines := bufio.NewReaderSize(body, 2<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		if len(line) > 1 {
			chunks.Add(1)
		}
	}
}
