package mcptool

import (
	"time"

	"github.com/askgate/askgate/tools"
)

// Options configures a server, as its entry in tools.json does. It has either a URL or a command.
type Options struct {
	ID           string // prefix of its tools' names
	URL          string
	Headers      map[string]string
	AllowPrivate bool // see outgoing.Options
	Command      string
	Args         []string
	Env          map[string]string
	Personal     []string      // the names of the Headers that have placeholders of the caller
	Secrets      []string      // values of Headers, Args and Env to hide from models, users and logs
	Tools        []string      // the server's names of the tools to offer; nil: all
	Approvals    []string      // the server's names of tools whose approvals are configured one by one
	Timeout      time.Duration // of a call, and of an attempt to connect
	Park         time.Duration // how long a call that asks is held open; 0: never
}

// Asking describes how an app asks its users.
type Asking struct {
	// Asker is ask_user, which words, checks and reads questions and answers. Its limits
	// must allow MaxFields questions of MaxOptions options.
	Asker tools.Resumer
	// Name returns the server's name for users.
	Name func(language string) string
	// Warning returns what users should know before they answer a server.
	Warning func(language, server string) string
	// Visit returns the question whether the user has visited a page of host.
	Visit func(language, server, host string) string
}

// Status of a server.
type Status struct {
	ID    string
	Up    bool // whether it is connected
	Tools int  // how many it offers
	// PerCaller is set for a server that is connected per caller: Up and Tools are not known then.
	PerCaller bool
	Sessions  int // for so many callers
}

const (
	// maxMessage is the most bytes of one message over HTTP, and of all counted bytes of one
	// response (orderedBody): far more than a model reads, and little enough for memory.
	maxMessage = 4 << 20
	// terminate is how long a child has to end after the end of its input, and again after a
	// signal.
	terminate = 2 * time.Second
)

// stateless is the first protocol in which servers ask with input_required.
const stateless = "2026-07-28"

// pace is how often a connected server is checked. It counts as lost when it has not answered two
// pings: over HTTP within 5 s of the first failed call, and in any case within 30 s of falling
// silent.
type pace struct {
	idle  time.Duration // between two checks while no call is under way
	ping  time.Duration // time limit of a ping
	pause time.Duration // before the second ping
}

var (
	remotePace = pace{idle: 10 * time.Second, ping: 2 * time.Second, pause: 500 * time.Millisecond}
	// There may be many sessions of callers, and few of them are in use.
	callerPace = pace{idle: time.Minute, ping: 2 * time.Second, pause: 500 * time.Millisecond}
	// The end of a program is noticed at once. While it runs, it may be busy with other requests,
	// if it handles one after the other.
	programPace = pace{idle: 10 * time.Second, ping: 8 * time.Second, pause: 500 * time.Millisecond}
)
