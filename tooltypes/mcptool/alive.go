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

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// watch ends the life of a session whose server is lost.
func (s *server) watch(life context.Context, end context.CancelCauseFunc, session *mcp.ClientSession) {
	idle := time.NewTicker(s.pace.idle)
	defer idle.Stop()
	for {
		select {
		case <-life.Done():
			return
		case <-s.doubted:
		case <-idle.C:
			if !s.calls.idle() {
				continue
			}
		}
		if err := s.check(session); err != nil {
			end(err)
			return
		}
	}
}

// check returns nil if the server answers one of two pings, even with an error.
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

// knocker returns a function that sends server/discover to a server of the stateless protocol,
// which has no ping. Every answer counts, except that of a proxy that cannot reach the server.
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

const maxKnock = 64 << 10 // bytes of an answer that are read and discarded
