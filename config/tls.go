package config

import (
	"crypto/tls"
	"errors"
	"io"
	"os"
	"strings"
	"time"
)

// maxPEM bounds, in bytes, a certificate's or a key's file: a chain has some thousand.
const maxPEM = 1 << 20

// tls reads the certificate for the main listener. What the files hold is part of the
// snapshot, so that a faulty one is a fault like any other.
func (l *loader) tls(n Node) {
	t := &l.gateway.TLS
	var cert, key Node
	file := func(at *Node, dst *string) func(Node) {
		return func(n Node) {
			*at = n
			n.Path(dst)
		}
	}
	if !n.Object(Keys{"cert": file(&cert, &t.Cert), "key": file(&key, &t.Key)}, nil) {
		return
	}
	if cert.v == nil {
		n.Fault(`"cert" is missing; write the path of a PEM file with the certificate and those between it and the root`)
	}
	if key.v == nil {
		n.Fault(`"key" is missing; write the path of a PEM file with the certificate's private key`)
	}
	if t.Cert == "" || t.Key == "" {
		return
	}
	certPEM, keyPEM := cert.pem(t.Cert), key.pem(t.Key)
	if certPEM == nil || keyPEM == nil {
		return
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil { // it names what is wrong, not what is in the files
		n.Fault(`certificate and key cannot be used: %s; "cert" is a PEM file with the certificate first, "key" one with its private key, not encrypted`, strings.TrimPrefix(err.Error(), "tls: "))
		return
	}
	if until := pair.Leaf.NotAfter; time.Now().After(until) {
		cert.Warn("the certificate has expired at %s: clients refuse it; renew it, the new one is taken up by itself", until.UTC().Format(time.RFC3339))
	}
	t.Certificate = &pair
}

// pem reads a file beside the configuration, nil where it cannot be read. The
// watcher looks at it from then on.
func (n Node) pem(name string) []byte {
	info, err := os.Stat(name) // first: what changes meanwhile is found later
	n.l.beside[name] = info
	var data []byte
	if err == nil {
		data, err = readFile(name, info, maxPEM)
	}
	if err != nil {
		n.Fault("the file cannot be read: %s; write the path of a PEM file, from the configuration's directory on, that the gateway's user may read", reason(err).Error())
		return nil
	}
	return data
}

var errTooLarge = errors.New("it is larger than 1 MiB")

// readFile reads a file of at most limit bytes; a larger one is errTooLarge.
func readFile(name string, info os.FileInfo, limit int64) ([]byte, error) {
	if !info.Mode().IsRegular() { // opening a pipe would wait for somebody to write
		return nil, errors.New("it is not a file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errTooLarge
	}
	return data, err
}
