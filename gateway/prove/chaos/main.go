// Command chaos measures and proves, from outside, that the gateway loses nothing: real binaries on
// real stores are killed, paused, drained and flooded, and what clients and model saw is compared
// with the expected result.
//
//	go run ./gateway/prove/chaos crash -store sqlite -seeds 200
//	go run ./gateway/prove/chaos --help
//
//	plant ── builds the binary with its crash points, creates empty stores
//	  └─ world ── nodes on one store, a scripted model, the crashes to come
//	       └─ talk ── one chat of a patient client: repeats failed requests, with their keys
//	            └─ viewer ── follows /events, and keeps the picture a frontend would show
//
// The URLs of PostgreSQL and Redis come from the variables that the tests use:
// ASKGATE_TEST_POSTGRES and ASKGATE_TEST_REDIS. Each run creates its own schemas, and removes them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// common are the options of all commands.
type common struct {
	askgate string // the gateway's binary; "": built
	store   string // sqlite or postgres
	redis   string // URL, "" for none
}

func (c *common) register(f *flag.FlagSet) {
	f.StringVar(&c.askgate, "askgate", "", "the gateway's `binary`, built with -tags "+crashTag+"; default: built from this module")
	f.StringVar(&c.store, "store", sqlite, "sqlite, or postgres (at $"+postgresVariable+")")
	f.StringVar(&c.redis, "redis", "", "`URL` of Redis for live events; default: none")
}

// command is a subcommand.
type command struct {
	name, about string
	run         func(ctx context.Context, f *flag.FlagSet, args []string) error
}

var commands = []command{
	{"crash", "kill the gateway at every point of a conversation, and compare what came of it", crashCommand},
	{"replies", "lose, delay and hold the store's replies to commits, and cut it off, and compare what came of it", repliesCommand},
	{"storm", "many answers to one question on several nodes: one wins; and the caps, under the same storm", stormCommand},
	{"asks", "programs ask people, who answer on two screens, while the gateway is killed: each gets its question, and one answer counts", asksCommand},
	{"failover", "from an answer that a dying node accepted to the next text on another node", failoverCommand},
	{"silence", "the store says nothing for some seconds: no live turn is taken, and a dead node's go on", silenceCommand},
	{"drain", "SIGTERM under load: nothing is lost, and no stream is cut off", drainCommand},
	{"limits", "more than each limit allows, on all nodes at once: how much passes", limitsCommand},
	{"pending", "what waiting questions cost, and many that expire within a minute", pendingCommand},
	{"hostile", "thousands of hostile requests during good conversations: nothing is lost, and memory is bounded", hostileCommand},
	{"first", "time to first chunk, one store compared with another", firstCommand},
}

func main() {
	testenv.Clear()                // the nodes get this environment
	signal.Ignore(syscall.SIGPIPE) // if the report is no longer read, processes must still be stopped
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		for _, c := range commands {
			if c.name == args[0] {
				return c.run(ctx, flag.NewFlagSet("chaos "+c.name, flag.ContinueOnError), args[1:])
			}
		}
	}
	fmt.Fprintln(os.Stderr, "chaos measures and proves that the gateway loses nothing. Commands (each has --help):")
	for _, c := range commands {
		fmt.Fprintf(os.Stderr, "  %-9s %s\n", c.name, c.about)
	}
	if len(args) > 0 && !slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		return fmt.Errorf("there is no command %q", args[0])
	}
	return nil
}

func stormCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var o stormOptions
	o.register(f)
	f.Int64Var(&o.seed, "seed", 0, "which answers share a key, and who is paused when")
	f.IntVar(&o.nodes, "nodes", 3, "nodes on the store; 1 where it is SQLite")
	f.IntVar(&o.answers, "answers", 200, "answers per node and question")
	f.IntVar(&o.rounds, "rounds", 10, "questions")
	f.IntVar(&o.chats, "chats", 10, "chats that ask for more questions than they may")
	if err := f.Parse(args); err != nil {
		return err
	}
	return storm(ctx, o, os.Stdout)
}

func asksCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var o asksOptions
	o.register(f)
	f.Int64Var(&o.seed, "seed", 0, "the first seed; everything random comes from it")
	f.IntVar(&o.seeds, "seeds", 1, "how many seeds to try")
	f.IntVar(&o.nodes, "nodes", 2, "nodes on the store; 1 where it is SQLite")
	f.IntVar(&o.askers, "askers", 50, "programs that ask")
	f.IntVar(&o.people, "people", 200, "people who are asked")
	f.IntVar(&o.questions, "questions", 1000, "questions of all of them together")
	if err := f.Parse(args); err != nil {
		return err
	}
	return asks(ctx, o, os.Stdout)
}

func limitsCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var o limitsOptions
	o.register(f)
	f.IntVar(&o.nodes, "nodes", 2, "nodes on the store; 1 for SQLite, or without Redis")
	f.IntVar(&o.sent, "requests", 200, "requests per limit")
	f.IntVar(&o.most, "limit", 50, "how many of them it allows")
	if err := f.Parse(args); err != nil {
		return err
	}
	return limits(ctx, o, os.Stdout)
}

func failoverCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var o failoverOptions
	o.register(f)
	f.IntVar(&o.rounds, "rounds", 20, "how often a node is killed")
	if err := f.Parse(args); err != nil {
		return err
	}
	return failover(ctx, o, os.Stdout)
}

func silenceCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var o silenceOptions
	o.register(f)
	f.IntVar(&o.nodes, "nodes", 3, "nodes on the store")
	f.IntVar(&o.turns, "turns", 30, "turns that run when the store falls silent, for some eight seconds each")
	lengths := f.String("for", "7s,9s,12s", "how long it is silent, comma-separated")
	if err := f.Parse(args); err != nil {
		return err
	}
	for text := range strings.SplitSeq(*lengths, ",") {
		d, err := time.ParseDuration(text)
		if err != nil {
			return err
		}
		o.lengths = append(o.lengths, d)
	}
	return silence(ctx, o, os.Stdout)
}

func drainCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var o drainOptions
	o.register(f)
	f.IntVar(&o.nodes, "nodes", 2, "nodes on the store; 1 where it is SQLite")
	f.IntVar(&o.turns, "turns", 100, "turns that run when the signal comes, for some eight seconds each")
	f.IntVar(&o.viewers, "viewers", 1000, "open /events streams, at least one per turn")
	f.DurationVar(&o.timeout, "timeout", 2*time.Second, "shutdownTimeout: shorter than the turns, they move; longer, they end")
	if err := f.Parse(args); err != nil {
		return err
	}
	return drain(ctx, o, os.Stdout)
}

func pendingCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var o pendingOptions
	o.register(f)
	f.IntVar(&o.questions, "questions", 100_000, "questions that wait")
	f.IntVar(&o.expiring, "expiring", 10_000, "further questions, which expire; 0: none")
	f.DurationVar(&o.over, "over", time.Minute, "time over which they expire")
	if err := f.Parse(args); err != nil {
		return err
	}
	return pending(ctx, o, os.Stdout)
}

func firstCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var o firstOptions
	o.register(f)
	f.StringVar(&o.stores, "stores", sqlite+","+postgres, "the stores, comma-separated")
	f.IntVar(&o.chats, "chats", 200, "new chats per store and round")
	f.IntVar(&o.rounds, "rounds", 3, "rounds in which the stores take turns")
	if err := f.Parse(args); err != nil {
		return err
	}
	return first(ctx, o, os.Stdout)
}

func hostileCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var o hostileOptions
	o.register(f)
	f.Int64Var(&o.seed, "seed", 0, "everything random comes from it")
	f.IntVar(&o.requests, "requests", 10_000, "hostile requests; 0: only what one key can do to memory")
	f.IntVar(&o.parallel, "parallel", 32, "of them at a time")
	f.IntVar(&o.talks, "talks", 4, "good conversations at a time")
	f.IntVar(&o.streams, "streams", 4000, "unread views that one key opens, for its memory")
	f.IntVar(&o.rounds, "rounds", 7, "good conversations alone and during an attack by one key, alternating; below 3: less data is stored for the key, and time is not judged")
	f.StringVar(&o.only, "only", "", "of what one key does, only that with this in its `name`, such as searches")
	f.IntVar(&o.slow, "slow", 200, "connections that are held open and say nothing more, of each kind")
	if err := f.Parse(args); err != nil {
		return err
	}
	return hostile(ctx, o, os.Stdout)
}

func repliesCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var o repliesOptions
	o.register(f)
	f.IntVar(&o.seeds, "seeds", 1, "how many seeds to try, from -seed on")
	f.Int64Var(&o.seed, "seed", 0, "the first seed; everything random comes from it")
	f.IntVar(&o.parallel, "parallel", 8, "seeds at a time")
	f.IntVar(&o.nodes, "nodes", 1, "nodes on the store; several need -redis")
	f.IntVar(&o.most, "most", 12, "disturbances per seed")
	f.IntVar(&o.within, "within", 60, "commits from one disturbance to the next, at most; fewer for few scenes")
	f.StringVar(&o.scene, "scene", "", "drive only the scenes with this in their `name`, such as approvals")
	if err := f.Parse(args); err != nil {
		return err
	}
	o.store = postgres // only the replies of a server can be lost
	return replies(ctx, o, os.Stdout)
}

func crashCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var o crashOptions
	o.register(f)
	f.IntVar(&o.seeds, "seeds", 1, "how many seeds to try, from -seed on")
	f.Int64Var(&o.seed, "seed", 0, "the first seed; everything random comes from it")
	f.IntVar(&o.parallel, "parallel", 8, "seeds at a time")
	f.IntVar(&o.nodes, "nodes", 1, "nodes on the store; the first one crashes")
	f.StringVar(&o.scene, "scene", "", "drive only the scenes with this in their `name`, such as approvals")
	list := f.String("points", "", "crash at these only, comma-separated; default: "+strings.Join(append(slices.Clone(points), moments...), ","))
	if err := f.Parse(args); err != nil {
		return err
	}
	o.points = append(slices.Clone(points), moments...)
	if *list != "" {
		o.points = strings.Split(*list, ",")
	}
	return crashes(ctx, o, os.Stdout)
}
