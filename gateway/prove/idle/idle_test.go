// Package idle measures what viewers cost who look at chats in which nothing happens: a node of its
// own process, with PostgreSQL and Redis, seen from outside.
//
//	go test ./gateway/prove/idle -run '^$' -bench . -benchtime 1x -viewers 10000
package idle

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/gatewaytest"
	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/store/sqldb"
)

var viewers = flag.Int("viewers", 1000, "how many viewers come back, each of another chat")

const (
	lastEvent = 12               // the number of the newest event of each chat
	idleFor   = 20 * time.Second // how long transactions are counted
	settle    = 15 * time.Second // PostgreSQL counts what a session did within 10 s
)

// BenchmarkViewers takes a node, has viewers come back to it with the ids of their chats' newest events, as
// after another node was replaced, and lets them be idle.
func BenchmarkViewers(b *testing.B) {
	for b.Loop() {
		base := database(b)
		fill(b, base, *viewers)
		node := start(b, base)
		count := transactions(b, base)
		time.Sleep(idleFor)
		without := count()

		began, used := time.Now(), cpu(b, node.PID())
		leave := come(b, node.URL, *viewers)
		returned, took := cpu(b, node.PID())-used, time.Since(began)

		time.Sleep(settle) // what their coming began is over, and counted
		count()
		used = cpu(b, node.PID())
		time.Sleep(idleFor)
		idle, with := cpu(b, node.PID())-used, count()
		leave()
		node.Kill()
		b.ReportMetric(returned.Seconds()*1000/float64(*viewers), "cpu-ms/return")
		b.ReportMetric(returned.Seconds(), "cpu-s/all")
		b.ReportMetric(took.Seconds(), "s/all")
		b.ReportMetric(without, "transactions/s-without")
		b.ReportMetric(with, "transactions/s-with")
		b.ReportMetric(100*idle.Seconds()/idleFor.Seconds(), "%cpu-idle")
	}
}

// database makes a database for this benchmark alone, so that the server counts its transactions
// apart from all others.
func database(b *testing.B) string {
	b.Helper()
	u, err := url.Parse(testenv.Postgres(b))
	if err != nil {
		b.Fatal(err)
	}
	admin, err := pgx.Connect(b.Context(), u.String())
	if err != nil {
		b.Fatal(err)
	}
	name := "idle_" + strconv.FormatInt(time.Now().UnixNano(), 36)
	if _, err := admin.Exec(b.Context(), "CREATE DATABASE "+name); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if _, err := admin.Exec(context.WithoutCancel(b.Context()), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			b.Error(err)
		}
		_ = admin.Close(context.WithoutCancel(b.Context()))
	})
	u.Path = "/" + name
	return u.String()
}

func ref(i int) chat.Ref {
	return chat.Ref{Tenant: "default", Subject: "viewer", App: "helper", ChatID: "chat-" + strconv.Itoa(i)}
}

// fill stores chats that have had a turn.
func fill(b *testing.B, base string, n int) {
	b.Helper()
	db, err := sqldb.Open(b.Context(), base, sqldb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	each(n, func(i int) {
		err := db.UpdateLazily(b.Context(), ref(i), func(tx store.Tx) error {
			head, at := tx.Conversation(), time.Now()
			head.Fence, head.LastEvent, head.CreatedAt, head.UpdatedAt = 1, chat.EventID{Fence: 1, Seq: lastEvent}, at, at
			turn := chat.Turn{ID: chat.NewID("trn"), State: chat.TurnEnded, Language: "en", FinishReason: chat.FinishStop, StartedAt: at, EndedAt: at}
			if err := tx.BeginTurn(turn); err != nil {
				return err
			}
			return tx.AppendMessage(chat.Message{ID: chat.NewID("msg"), TurnID: turn.ID, Fence: 1, Role: chat.RoleUser, Content: "hello", CreatedAt: at})
		})
		if err != nil {
			b.Error(err)
		}
	})
}

// each calls fn with 0 to n-1, some at a time.
func each(n int, fn func(i int)) {
	var all sync.WaitGroup
	free := make(chan struct{}, 32)
	for i := range n {
		free <- struct{}{}
		all.Go(func() {
			fn(i)
			<-free
		})
	}
	all.Wait()
}

// start starts a node on a database.
func start(b *testing.B, base string) *gatewaytest.Process {
	b.Helper()
	home := b.TempDir()
	for name, text := range map[string]string{
		"gateway.json": `{"models": {"default": {"provider": "demo"}}, "limits": {"requestsPerMinute": 0},
			"auth": {"mode": "proxy", "proxy": {"from": ["127.0.0.1"], "headers": {"subject": "X-User"}}}}`,
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": [], "limits": {"requestsPerMinute": 0, "streams": 0}}`,
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	node, err := gatewaytest.Program{Env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "ASKGATE_CONFIG=" + home, "ASKGATE_LISTEN=127.0.0.1:0",
		"ASKGATE_REDIS=" + testenv.Redis(b), "ASKGATE_STORE=" + base,
	}}.Start(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(node.Kill)
	return node
}

// come opens a stream for each viewer, with the id of its chat's newest event, and returns what ends them.
func come(b *testing.B, at string, n int) (leave func()) {
	b.Helper()
	address := strings.TrimPrefix(at, "http://")
	connections := make([]net.Conn, n)
	each(n, func(i int) {
		c, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", address)
		if err != nil {
			b.Error(err)
			return
		}
		connections[i] = c
		id := chat.EventID{Fence: 1, Seq: lastEvent}
		_, err = fmt.Fprintf(c, "GET /v1/apps/helper/chats/%s/events HTTP/1.1\r\nHost: %s\r\nX-User: viewer\r\nLast-Event-ID: %s\r\n\r\n", ref(i).ChatID, address, id)
		if err != nil {
			b.Error(err)
			return
		}
		reply, err := http.ReadResponse(bufio.NewReader(c), nil) // the reply goes on until the connection is closed
		if err != nil || reply.StatusCode != http.StatusOK {
			b.Errorf("viewer %d: %v, %v", i, reply, err)
			return
		}
		if first := make([]byte, 1); true {
			if _, err := reply.Body.Read(first); err != nil || first[0] != ':' { // a comment: the viewer has everything
				b.Errorf("viewer %d gets %q: %v", i, first, err)
			}
		}
	})
	return func() {
		for _, c := range connections {
			if c != nil {
				_ = c.Close()
			}
		}
	}
}

// transactions returns a function that returns how many transactions a second the database has had since
// it was called last.
func transactions(b *testing.B, base string) func() float64 {
	b.Helper()
	other, err := pgx.Connect(b.Context(), testenv.Postgres(b)) // its own are counted elsewhere
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = other.Close(context.WithoutCancel(b.Context())) })
	name := base[strings.LastIndex(base[:strings.IndexByte(base+"?", '?')], "/")+1 : strings.IndexByte(base+"?", '?')]
	var before int64
	at := time.Now()
	count := func() float64 {
		var n int64
		err := other.QueryRow(b.Context(), "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = $1", name).Scan(&n)
		if err != nil {
			b.Error(err)
		}
		rate := float64(n-before) / time.Since(at).Seconds()
		before, at = n, time.Now()
		return rate
	}
	time.Sleep(settle)
	count()
	return count
}

// cpu is the processor time that a process has used so far.
func cpu(b *testing.B, pid int) time.Duration {
	b.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		b.Fatalf("the processor time of process %d: %v", pid, err)
	}
	var sum int64
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended
		}
		first, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += ns
	}
	return time.Duration(sum)
}
