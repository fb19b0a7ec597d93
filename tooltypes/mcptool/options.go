package mcptool

import (
	"time"

	"github.com/askgate/askgate/tools"
)

// Options of a server, as its entry of tools.json has them: at a URL, or a command.
type Options struct {
	ID           string // prefix of its tools' names
	URL          string
	Headers      map[string]string
	AllowPrivate bool // see outgoing.Options
	Command      string
	Args         []string
	Env          map[string]string
	Secrets      []string      // values of Headers, Args and Env that nobody may see
	Tools        []string      // that are taken, by the server's names; nil: all
	Timeout      time.Duration // of a call, and of an attempt to connect
	Park         time.Duration // how long a call that asks is held open; 0: it is not
}

// Asking is how an app asks its users.
type Asking struct {
	// Asker is ask_user, which words, checks and reads questions and answers. Its limits
	// must allow MaxFields questions of MaxOptions options.
	Asker tools.Resumer
	// Name is the server's name for users.
	Name func(language string) string
	// Warning is what users should know before they answer a server.
	Warning func(language, server string) string
	// Visit is the question whether a page was visited; parameters Server, Host.
	Visit func(language, server, host string) string
}

// Status of a server.
type Status struct {
	ID    string
	Up    bool // it is connected
	Tools int  // that it offers
}

const (
	// maxMessage is in bytes of one message over HTTP, and of all that count of one response
	// (orderedBody): far above what a model reads, far below what hurts.
	maxMessage = 4 << 20
	// terminate is how long a child has to end after its input ends, and again after a
	// signal.
	terminate = 2 * time.Second
)

// stateless is the first protocol whose servers ask by input_required.
const stateless = "2026-07-28"

// pace is how a server is looked after while it is connected. It counts as gone when it has
// left two pings without an answer: within 5 s of the first call that failed where it is
// reached by HTTP, and within 30 s of falling silent anyway.
type pace struct {
	idle  time.Duration // between two pings, while no call is under way
	ping  time.Duration // for an answer
	pause time.Duration // before the second ping
}

var (
	remotePace = pace{idle: 10 * time.Second, ping: 2 * time.Second, pause: 500 * time.Millisecond}
	// A program's end is seen at once. While it is there, it may be busy with what it does
	// one thing after the other.
	programPace = pace{idle: 10 * time.Second, ping: 8 * time.Second, pause: 500 * time.Millisecond}
)
