package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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

// Why a server is taken for lost.
var (
	errGone  = errors.New("it does not answer")
	errEnded = errors.New("it ended the connection")
)

// watch ends the life of a session whose server is gone.
func (s *server) watch(life context.Context, end context.CancelCauseFunc, session *mcp.ClientSession) {
	idle := time.NewTicker(s.pace.idle)
	defer idle.Stop()
	for {
		select {
		case <-life.Done():
			return
		case <-s.doubted:
		case <-idle.C:
			if !s.idle() {
				continue
			}
		}
		if err := s.check(session); err != nil {
			end(err)
			return
		}
	}
}

// check is nil while the server answers, whatever it says.
func (s *server) check(session *mcp.ClientSession) error {
	err := s.ping(session)
	if err == nil {
		return nil
	}
	timer := time.NewTimer(s.pace.pause)
	defer timer.Stop()
	select {
	case <-s.ctx.Done():
		return nil
	case <-timer.C:
	}
	return s.ping(session)
}

func (s *server) ping(session *mcp.ClientSession) error {
	ctx, cancel := context.WithTimeout(s.ctx, s.pace.ping)
	defer cancel()
	var err error
	if s.knock != nil && session.InitializeResult().ProtocolVersion >= stateless {
		err = s.knock(ctx)
	} else {
		err = session.Ping(ctx, nil)
	}
	switch {
	case err == nil || saidBy(err) != nil || s.ctx.Err() != nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return errGone
	}
	return err
}

// knocker asks a server of the stateless protocol, which has no ping, what it is. Any answer
// counts but a proxy's that there is no server.
func knocker(address string, client *http.Client) func(context.Context) error {
	body, _ := json.Marshal(map[string]any{ // of strings
		"jsonrpc": "2.0", "id": "ping", "method": "server/discover",
		"params": map[string]any{"_meta": map[string]any{
			mcp.MetaKeyProtocolVersion: stateless, mcp.MetaKeyClientCapabilities: map[string]any{},
			mcp.MetaKeyClientInfo: map[string]any{"name": "askgate", "version": ""},
		}},
	})
	return func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
		if err != nil {
			return err
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": stateless, "Mcp-Method": "server/discover",
		} {
			r.Header.Set(name, value)
		}
		response, err := client.Do(r)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, _ = io.CopyN(io.Discard, response.Body, maxKnock) // so that the connection can be used again
		switch response.StatusCode {
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return &localError{fmt.Errorf("HTTP %d", response.StatusCode)}
		}
		return nil
	}
}

const maxKnock = 64 << 10 // bytes of an answer that nobody reads

// doubt has the server looked at, since a call to it came to no answer. timedOut says that
// the call ran out of time, as it also does where the server is only slow: a program, which
// may still be busy with it, is left alone, and so is a server with other calls.
func (s *server) doubt(timedOut bool) {
	if timedOut {
		s.mu.Lock()
		busy := len(s.flights) > 0
		s.mu.Unlock()
		if busy || s.o.Command != "" {
			return
		}
	}
	poke(s.doubted)
}

// idle says that no call is under way.
func (s *server) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.flights) == 0
}

// saidBy is the error that the server itself sent; nil where there is none, or where the
// SDK puts the failure of a request in the same form.
func saidBy(err error) *jsonrpc.Error {
	var said *jsonrpc.Error
	if errors.As(err, &said) && (said.Code != rejectedCode || said.Message != rejectedText) {
		return said
	}
	return nil
}

// What the SDK calls a request that it could not send, or that came to nothing: its
// jsonrpc2.ErrRejected, which is internal.
const (
	rejectedCode = -32005
	rejectedText = "rejected by transport"
)
