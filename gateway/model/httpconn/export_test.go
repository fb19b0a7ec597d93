package httpconn

import (
	"bufio"
	"crypto/x509"
	"io"
	"net"
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

// Write writes req to a connection.
func Write(c net.Conn, req *http.Request) error {
	return (&conn{Conn: c, raw: c}).write(req)
}

// Decode reads a chunked body to its end. more says that the server sent more than the body.
func Decode(r io.Reader) (data []byte, more bool, err error) {
	c := &conn{in: r, reader: bufio.NewReader(r)}
	data, err = io.ReadAll(&chunked{c: c})
	return data, c.dirty, err
}
