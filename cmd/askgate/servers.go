package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/sse"
)

// Limits on what an idle or excessive connection may cost. The API limits how long a body and a
// response may take, because it knows which responses are streams.
const (
	readHeaderTimeout = 10 * time.Second // also for the TLS handshake
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	// closeTimeout is how long open connections may take to end after the turns have ended.
	closeTimeout = 5 * time.Second
)

// servers are the listeners of this process.
type servers struct {
	log    *slog.Logger
	list   []*http.Server
	urls   []string
	failed chan error
}

func newServers(log *slog.Logger) *servers { return &servers{log: log, failed: make(chan error, 2)} }

// listen serves on address: HTTP/1.1, or HTTPS and HTTP/2 if there is a certificate. flag is the flag
// that sets the address, for the error.
func (s *servers) listen(ctx context.Context, flag, address string, handler http.Handler, certificate *tls.Config) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return unheard(flag, address, err)
	}
	s.serve(listener, handler, certificate)
	return nil
}

// unheard returns the error of an address that cannot be listened on, with how to fix it.
func unheard(flag, address string, err error) error {
	hint := "choose another address with " + flag
	if _, port, e := net.SplitHostPort(address); e == nil && errors.Is(err, syscall.EADDRINUSE) {
		hint = "stop the program that listens there, or " + hint
		if n, e := strconv.Atoi(port); e == nil {
			if who := holder(n); who != "" {
				hint = "it is taken by " + who + ": " + hint
			}
			if n < math.MaxUint16 {
				hint += fmt.Sprintf(", such as %s 127.0.0.1:%d", flag, n+1)
			}
		}
	}
	return fmt.Errorf("cannot listen on %s: %w; %s", address, err, hint)
}

// serve serves the connections that listener accepts, until close.
func (s *servers) serve(listener net.Listener, handler http.Handler, certificate *tls.Config) {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		TLSConfig: certificate, ConnContext: sse.ConnContext, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	serve, scheme := server.Serve, "http://"
	if certificate != nil {
		serve, scheme = func(l net.Listener) error { return server.ServeTLS(l, "", "") }, "https://"
	}
	s.list, s.urls = append(s.list, server), append(s.urls, scheme+listener.Addr().String())
	go func() {
		if err := serve(sse.Listen(listener)); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
}

func (s *servers) close(ctx context.Context) {
	for _, server := range s.list {
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // cut off connections that did not end in time
		}
	}
}

// expiry exports when the certificate in use expires. It is registered only if there is one.
func expiry(current func() *config.Snapshot) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "askgate_tls_certificate_expires_timestamp_seconds", Help: "When the certificate in use expires, in Unix time.",
	}, func() float64 {
		if c := current().Gateway.TLS.Certificate; c != nil {
			return float64(c.Leaf.NotAfter.Unix())
		}
		return math.Inf(1) // removed from the configuration: the next start serves without it
	})
}

// certificate presents to each new client the certificate in use. It returns nil if the process was
// started without one.
func certificate(current func() *config.Snapshot) *tls.Config {
	started := current().Gateway.TLS.Certificate
	if started == nil {
		return nil
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			if now := current().Gateway.TLS.Certificate; now != nil {
				return now, nil
			}
			return started, nil // removed from the configuration: takes effect at a restart
		},
	}
}
