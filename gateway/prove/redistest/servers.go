package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// patience limits how long servers may take to agree. It makes no difference if they work.
const patience = 5 * time.Minute

// down is after how many milliseconds a server that does not answer is given up by the others.
const down = 1000

// Server is a Redis server in a separate process. It ends with the test.
type Server struct {
	Addr   string
	Client *redis.Client
	cmd    *exec.Cmd
}

// Kill ends the process at once.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// start starts a server at a free port with settings, as in a configuration file, that asks for a
// password unless that is "".
func start(t testing.TB, port int, password string, settings ...string) *Server {
	t.Helper()
	program, dir := testenv.RedisServer(t), t.TempDir()
	file := filepath.Join(dir, "redis.conf")
	settings = append([]string{"port " + strconv.Itoa(port), "bind 127.0.0.1", "dir " + dir, "logfile " + filepath.Join(dir, "log")}, settings...)
	if password != "" {
		settings = append(settings, "requirepass "+password)
	}
	if err := os.WriteFile(file, []byte(strings.Join(settings, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{file}
	for _, line := range settings {
		if strings.HasPrefix(line, "sentinel ") {
			args = []string{file, "--sentinel"}
		}
	}
	s := &Server{Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), cmd: exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// If the test's process dies, this one ends the server.
	guard := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c", fmt.Sprintf("read -r _ || kill -9 %d", s.cmd.Process.Pid))
	alive, err := guard.StdinPipe()
	if err == nil {
		err = guard.Start()
	}
	if err != nil {
		s.Kill()
		t.Fatal(err)
	}
	s.Client = redis.NewClient(&redis.Options{Addr: s.Addr, Password: password, Protocol: 2})
	t.Cleanup(func() {
		_ = s.Client.Close()
		_, _ = alive.Write([]byte("\n"))
		_ = guard.Wait()
		s.Kill()
		if log, err := os.ReadFile(filepath.Join(dir, "log")); err == nil && t.Failed() {
			t.Logf("%s: %s", s.Addr, log)
		}
	})
	Await(t, s.Addr+" answers", func(ctx context.Context) bool { return s.Client.Ping(ctx).Err() == nil })
	return s
}

// ports returns free ports. For nodes of a cluster, the ports 10000 above are free as well.
func ports(t testing.TB, n int) []int {
	t.Helper()
	var list []int
	var open []net.Listener
	for len(list) < n {
		bus, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, bus)
		port := bus.Addr().(*net.TCPAddr).Port - 10_000
		if l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			open, list = append(open, l), append(list, port)
		}
	}
	for _, l := range open { // not before all are known
		_ = l.Close()
	}
	return list
}

// Await waits until something is so.
func Await(t testing.TB, what string, is func(ctx context.Context) bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(context.WithoutCancel(t.Context())); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// Cluster is a Redis Cluster of three masters with a replica each.
type Cluster struct {
	URL   string
	Nodes []*Server
}

// NewCluster starts a cluster.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{}
	args := []string{"--cluster", "create"}
	for _, port := range ports(t, 6) {
		s := start(t, port, "", "cluster-enabled yes", fmt.Sprintf("cluster-node-timeout %d", down), "save \"\"")
		c.Nodes = append(c.Nodes, s)
		args = append(args, s.Addr)
	}
	cli := filepath.Join(filepath.Dir(testenv.RedisServer(t)), "redis-cli")
	out, err := exec.CommandContext(t.Context(), cli, append(args, "--cluster-replicas", "1", "--cluster-yes")...).CombinedOutput()
	if err != nil {
		t.Fatalf("creating a cluster: %v\n%s", err, out)
	}
	c.Settled(t)
	c.URL = "redis://" + c.Nodes[0].Addr + "?addr=" + c.Nodes[1].Addr + "&addr=" + c.Nodes[2].Addr
	return c
}

// Settled waits until all nodes that run agree that the cluster works, and each master has its replica
// if all run.
func (c *Cluster) Settled(t testing.TB) {
	t.Helper()
	Await(t, "the cluster works", func(ctx context.Context) bool {
		for _, s := range c.Nodes {
			if s.cmd.ProcessState != nil { // killed
				continue
			}
			info := s.Client.ClusterInfo(ctx).Val()
			nodes := s.Client.ClusterNodes(ctx).Val()
			if !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, "cluster_known_nodes:6") || strings.Contains(nodes, "handshake") {
				return false
			}
			if replication := s.Client.Info(ctx, "replication").Val(); strings.Contains(replication, "role:slave") && !strings.Contains(replication, "master_link_status:up") {
				return false
			}
		}
		return true
	})
}

// Of returns the master that has a key, and its replica.
func (c *Cluster) Of(t testing.TB, key string) (master, replica *Server) {
	t.Helper()
	Await(t, "the key has a master with a replica", func(ctx context.Context) bool {
		master, replica = nil, nil
		for _, s := range c.Nodes {
			if s.cmd.ProcessState != nil {
				continue
			}
			slot := s.Client.ClusterKeySlot(ctx, key).Val()
			for _, shard := range s.Client.ClusterShards(ctx).Val() {
				if !slices.ContainsFunc(shard.Slots, func(r redis.SlotRange) bool { return r.Start <= slot && slot <= r.End }) {
					continue
				}
				for _, node := range shard.Nodes {
					i := slices.IndexFunc(c.Nodes, func(of *Server) bool { return strings.HasSuffix(of.Addr, fmt.Sprint(":", node.Port)) })
					if of := c.Nodes[i]; node.Role == "master" {
						master = of
					} else if of.cmd.ProcessState == nil {
						replica = of
					}
				}
			}
			break
		}
		return master != nil && replica != nil && master.is(ctx, "master") && replica.is(ctx, "slave")
	})
	return master, replica
}

// is reports whether the server has a role.
func (s *Server) is(ctx context.Context, role string) bool {
	return strings.Contains(s.Client.Info(ctx, "replication").Val(), "role:"+role)
}

// FailOver makes the replica of the master that has a key its successor, while both run.
func (c *Cluster) FailOver(t testing.TB, key string) {
	t.Helper()
	_, replica := c.Of(t, key)
	tries := 0
	Await(t, "the replica is the master", func(ctx context.Context) bool {
		if tries++; tries%100 == 1 { // the servers may not agree at first
			_ = replica.Client.ClusterFailover(ctx).Err()
		}
		return replica.is(ctx, "master")
	})
	c.Settled(t)
}

// Move moves the slot of a key, with all that is in it, to another master, whose slot the key other is
// in.
func (c *Cluster) Move(t testing.TB, key, other string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	from, _ := c.Of(t, key)
	to, _ := c.Of(t, other)
	slot := from.Client.ClusterKeySlot(ctx, key).Val()
	id := func(s *Server) string { return s.Client.ClusterMyID(ctx).Val() }
	do := func(s *Server, args ...any) {
		t.Helper()
		if err := s.Client.Do(ctx, args...).Err(); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	do(to, "cluster", "setslot", slot, "importing", id(from))
	do(from, "cluster", "setslot", slot, "migrating", id(to))
	host, port, _ := net.SplitHostPort(to.Addr)
	for keys := from.Client.ClusterGetKeysInSlot(ctx, int(slot), 100).Val(); len(keys) > 0; keys = from.Client.ClusterGetKeysInSlot(ctx, int(slot), 100).Val() {
		for _, k := range keys {
			do(from, "migrate", host, port, k, 0, patience.Milliseconds())
		}
	}
	do(to, "cluster", "setslot", slot, "node", id(to))
	do(from, "cluster", "setslot", slot, "node", id(to))
	c.Settled(t)
}

// Replicated waits until the replicas have what was written before.
func Replicated(t testing.TB, server string) {
	t.Helper()
	parts, err := Client(t, server).Spread(t.Context(), "replicated")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		Await(t, "a replica has everything", func(ctx context.Context) bool {
			pipe := part.Server.Pipeline()
			pipe.Set(ctx, part.Key, "1", time.Minute)
			n := pipe.Do(ctx, "wait", 1, down)
			_, err := pipe.Exec(ctx)
			got, _ := n.Int()
			return err == nil && got > 0
		})
	}
}

// Sentinel is a master with a replica that Redis Sentinel watches.
type Sentinel struct {
	URL     string
	Servers []*Server
	watch   *Server
}

// NewSentinel starts them. All ask for the password secret, which the URL has.
func NewSentinel(t testing.TB) *Sentinel {
	t.Helper()
	const name = "mymaster"
	free := ports(t, 3)
	s := &Sentinel{}
	for i, port := range free[:2] {
		settings := []string{"save \"\"", "repl-diskless-sync-delay 0", "masterauth secret"}
		if i > 0 {
			settings = append(settings, fmt.Sprintf("replicaof 127.0.0.1 %d", free[0]))
		}
		s.Servers = append(s.Servers, start(t, port, "secret", settings...))
	}
	s.watch = start(t, free[2], "",
		fmt.Sprintf("sentinel monitor %s 127.0.0.1 %d 1", name, free[0]), "sentinel auth-pass "+name+" secret",
		fmt.Sprintf("sentinel down-after-milliseconds %s %d", name, down), fmt.Sprintf("sentinel failover-timeout %s %d", name, 10*down))
	if err := s.watch.Client.Do(t.Context(), "sentinel", "debug", "info-period", "100", "publish-period", "100").Err(); err != nil {
		t.Fatal(err) // otherwise, it takes 10 s to make a former master a replica
	}
	s.URL = "redis://" + s.watch.Addr + "/0?master_name=" + name + "&password=secret"
	s.settled(t)
	return s
}

func (s *Sentinel) settled(t testing.TB) {
	t.Helper()
	Await(t, "Sentinel knows the replica", func(ctx context.Context) bool {
		master, replica := s.Now(t)
		return master != nil && replica != nil && strings.Contains(replica.Client.Info(ctx, "replication").Val(), "master_link_status:up")
	})
}

// Now returns the master that Sentinel names, and the other server if it is its replica.
func (s *Sentinel) Now(t testing.TB) (master, replica *Server) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	sentinel := redis.NewSentinelClient(&redis.Options{Addr: s.watch.Addr, Protocol: 2})
	defer sentinel.Close()
	addr := sentinel.GetMasterAddrByName(ctx, "mymaster").Val()
	replicas := sentinel.Replicas(ctx, "mymaster").Val()
	for _, of := range s.Servers {
		if len(addr) == 2 && of.Addr == net.JoinHostPort(addr[0], addr[1]) {
			master = of
		} else if len(replicas) > 0 && replicas[0]["flags"] == "slave" {
			replica = of
		}
	}
	return master, replica
}

// Replaced waits until Sentinel has replaced a master.
func (s *Sentinel) Replaced(t testing.TB, before *Server) {
	t.Helper()
	Await(t, "the replica is the master", func(ctx context.Context) bool {
		master, _ := s.Now(t)
		return master != nil && master != before && master.is(ctx, "master")
	})
}

// FailOver makes Sentinel replace the master, while both run.
func (s *Sentinel) FailOver(t testing.TB) {
	t.Helper()
	before, _ := s.Now(t)
	Await(t, "Sentinel accepts a failover", func(ctx context.Context) bool {
		return s.watch.Client.Do(ctx, "sentinel", "failover", "mymaster").Err() == nil
	})
	s.Replaced(t, before)
	s.settled(t)
}

// Fail runs two tests: in one the master is told to change, in the other it is killed, each by fails,
// amid what the test does.
func (s *Sentinel) Fail(t *testing.T, amid func(t *testing.T, fails func())) {
	t.Run("FailOver", func(t *testing.T) {
		amid(t, func() { s.FailOver(t) })
	})
	t.Run("KilledMaster", func(t *testing.T) {
		amid(t, func() {
			master, _ := s.Now(t)
			master.Kill()
			s.Replaced(t, master)
		})
	})
}
