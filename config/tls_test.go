package config_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
)

// newPair creates a certificate for a name that is valid for a time, and its key.
func newPair(t testing.TB, name string, good time.Duration) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(good),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", pkcs8)
}

const withTLS = `{"tls": {"cert": "tls/cert.pem", "key": "tls/key.pem"}}`

func TestTLSFaults(t *testing.T) {
	cert, key := newPair(t, "a.example", time.Hour)
	_, other := newPair(t, "b.example", time.Hour)
	secret := strings.Split(key, "\n")[1]
	for name, c := range map[string]struct {
		gateway   string
		cert, key string
		want      []string
	}{
		"no key":          {`{"tls": ¶{"cert": "tls/cert.pem"}}`, cert, key, []string{`"key" is missing`, "private key"}},
		"no cert":         {`{"tls": ¶{"key": "tls/key.pem"}}`, cert, key, []string{`"cert" is missing`}},
		"empty":           {`{"tls": {"cert": ¶"", "key": "tls/key.pem"}}`, cert, key, []string{"empty"}},
		"unknown key":     {`{"tls": {"cert": "tls/cert.pem", "key": "tls/key.pem", ¶"crt": ""}}`, cert, key, []string{`did you mean "cert"?`}},
		"no such file":    {`{"tls": {"cert": ¶"tls/none.pem", "key": "tls/key.pem"}}`, cert, key, []string{"cannot read the file", "no such file"}},
		"a folder":        {`{"tls": {"cert": "tls/cert.pem", "key": ¶"tls"}}`, cert, key, []string{"not a file"}},
		"too large":       {`{"tls": {"cert": ¶"tls/cert.pem", "key": "tls/key.pem"}}`, cert + strings.Repeat("\n", 1<<20), key, []string{"larger than 1 MiB"}},
		"no PEM":          {`{"tls": ¶{"cert": "tls/cert.pem", "key": "tls/key.pem"}}`, "cert", key, []string{"PEM"}},
		"another's key":   {`{"tls": ¶{"cert": "tls/cert.pem", "key": "tls/key.pem"}}`, cert, other, []string{"does not match"}},
		"the other way":   {`{"tls": ¶{"cert": "tls/key.pem", "key": "tls/cert.pem"}}`, cert, key, []string{"PEM"}},
		"a broken number": {`{"tls": ¶{"cert": "tls/cert.pem", "key": "tls/key.pem"}}`, cert, strings.Replace(key, secret, secret[:8]+secret, 1), []string{"cannot be used"}},
	} {
		t.Run(name, func(t *testing.T) {
			files, places := gateway(c.gateway).Unmark()
			files["tls/cert.pem"], files["tls/key.pem"] = c.cert, c.key
			_, err := load(t, files, nil)
			var faults config.Faults
			if !errors.As(err, &faults) || len(faults) != 1 {
				t.Fatalf("want one fault, got:\n%v", err)
			}
			if f := faults[0]; f.Line != places[0].Line || f.Col != places[0].Col {
				t.Errorf("want it at %v, got:\n%v", places[0], f)
			}
			for _, part := range c.want {
				if !strings.Contains(faults[0].Message, part) {
					t.Errorf("the message lacks %q:\n%v", part, faults[0])
				}
			}
			if strings.Contains(faults[0].Error(), secret) {
				t.Errorf("the message shows the key:\n%v", faults[0])
			}
		})
	}
}

func TestAnExpiredCertificateIsWarnedOf(t *testing.T) {
	cert, key := newPair(t, "a.example", -time.Hour)
	s := mustLoad(t, tree{"gateway.json": withTLS, "tls/cert.pem": cert, "tls/key.pem": key}, nil)
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Message, "certificate expired") || s.Gateway.TLS.Certificate == nil {
		t.Errorf("%v", s.Warnings)
	}
}

// A renewed certificate is loaded. If only one file was replaced, or one is missing, the previous
// certificate stays active. The files may be anywhere, and gateway.json need not change.
func TestARenewedCertificateIsTakenUp(t *testing.T) {
	for name, watch := range map[string]watchFunc{"notified": config.Watch, "polling": config.WatchPolling} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cert, key := newPair(t, "a.example", time.Hour)
			tree{"gateway.json": withTLS, "tls/cert.pem": cert, "tls/key.pem": key}.Write(t, dir)
			w := startWatch(t, watch, dir)
			named := func() string { return w.Current().Gateway.TLS.Certificate.Leaf.Subject.CommonName }

			cert, key = newPair(t, "b.example", time.Hour)
			tree{"tls/cert.pem": cert}.Write(t, dir)
			w.result(t, config.ReloadError)
			if named() != "a.example" {
				t.Errorf("half a pair: %s", named())
			}
			tree{"tls/key.pem": key}.Write(t, dir)
			w.until(t, "the new pair", func() bool { return named() == "b.example" })

			tree{"gateway.json": strings.Replace(withTLS, "tls/cert.pem", "tls/later.pem", 1)}.Write(t, dir)
			w.result(t, config.ReloadError)
			tree{"tls/later.pem": cert}.Write(t, dir) // the file that was missed
			w.until(t, "the corrected path", func() bool { return strings.HasSuffix(w.Current().Gateway.TLS.Cert, "later.pem") })

			tree{"gateway.json": `{}`}.Write(t, dir)
			w.until(t, "without", func() bool { return w.Current().Gateway.TLS.Certificate == nil })
			w.until(t, "told to restart", func() bool { return strings.Contains(w.log.String(), "needs a restart to take effect\" key=tls") })
		})
	}
}
