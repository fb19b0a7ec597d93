package direct

import (
	"crypto/x509"
	"net/http"
	"net/url"
)

// Trust makes t accept the certificates of these authorities only.
func (t *Transport) Trust(roots *x509.CertPool) { t.tls.RootCAs = roots }

// Through sends every request through a proxy.
func (t *Transport) Through(proxy *url.URL) {
	t.proxy = http.ProxyURL(proxy)
	t.proxied.Proxy = t.proxy
}
