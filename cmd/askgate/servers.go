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

// What a connection may cost that says nothing, or too much. How long a body and a
// response may take is the API's business, which knows streams from the rest.
const (
	readHeaderTimeout = 10 * time.Second // also of a TLS handshake
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	// closeTimeout bounds the end of connections after the turns have ended.
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

// listen serves on the address that a flag chooses: HTTP/1.1, and with a certificate HTTPS and
// HTTP/2.
func (s *servers) listen(ctx context.Context, flag, address string, handler http.Handler, certificate *tls.Config) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return unheard(flag, address, err)
	}
	s.serve(listener, handler, certificate)
	return nil
}

// unheard is why an address cannot be listened on, and how to fix it.
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

// serve serves what a listener accepts, until close.
func (s *servers) serve(listener net.Listener, handler http.Handler, certificate *tls.Config) {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		TLSConfig: certificate, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
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
			_ = server.Close() // what did not end in time is cut off
		}
	}
}

// expiry tells when the certificate in use expires. Without one there is nothing to tell.
func expiry(current func() *config.Snapshot) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "askgate_tls_certificate_expires_timestamp_seconds", Help: "When the certificate in use expires, in Unix time.",
	}, func() float64 {
		if c := current().Gateway.TLS.Certificate; c != nil {
			return float64(c.Leaf.NotAfter.Unix())
		}
		return math.Inf(1) // taken out of the file: the next start is without
	})
}

// certificate shows each new client the certificate in use, nil where there is none.
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
			return started, nil // taken out of the file: that waits for a restart
		},
	}
}
