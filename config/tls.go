package config

import (
	"crypto/tls"
	"os"
	"strings"
	"time"
)

// TLS is the certificate for Gateway.Listen. Without a certificate the gateway speaks plain HTTP.
type TLS struct {
	Cert string `json:"cert"` // PEM file: the certificate, followed by its intermediates
	Key  string `json:"key"`  // PEM file
	// Certificate is the content of the files at the time of reading; nil: none is configured.
	Certificate *tls.Certificate `json:"-"`
}

// maxPEM limits the file of a certificate or a key, in bytes. A chain has a few thousand.
const maxPEM = 1 << 20

func (t *TLS) keys() []Key {
	return []Key{
		Path("cert", &t.Cert, "PEM file, relative to this directory: the certificate, followed by its intermediates").Must(`write the path of a PEM file with the certificate, followed by its intermediates`),
		Path("key", &t.Key, "PEM file with its private key, unencrypted").Must(`write the path of a PEM file with the certificate's private key`),
	}
}

// load reads the certificate of the main listener. It is part of the snapshot, so that an invalid
// certificate is a fault like any other.
func (t *TLS) load(n Value) {
	if t.Cert == "" || t.Key == "" {
		return
	}
	cert, key := n.Key("cert"), n.Key("key")
	certPEM, keyPEM := cert.pem(t.Cert), key.pem(t.Key)
	if certPEM == nil || keyPEM == nil {
		return
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil { // err does not repeat the content of the files
		n.Fault(`certificate and key cannot be used: %s; "cert" must be a PEM file that begins with the certificate, and "key" one with its unencrypted private key`, strings.TrimPrefix(err.Error(), "tls: "))
		return
	}
	if until := pair.Leaf.NotAfter; time.Now().After(until) {
		cert.Warn("the certificate expired at %s, so clients refuse it; renew it (no restart is needed)", until.UTC().Format(time.RFC3339))
	}
	t.Certificate = &pair
}

// pem reads a PEM file. It returns nil if that is not possible. The watcher follows the file from then
// on.
func (n Value) pem(name string) []byte {
	info, err := os.Stat(name) // before reading, so that the watcher finds a change in between
	n.p.others[name] = info
	var data []byte
	if err == nil {
		data, err = readFile(name, info, maxPEM)
	}
	if err != nil {
		n.Fault("cannot read the file: %s; write the path of a PEM file, relative to the configuration directory, that the gateway's user may read", reason(err).Error())
		return nil
	}
	return data
}
