//go:build deploy

package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// belowPath starts the proxies of deploy/ with a gateway below /ask. They strip the path and send it in
// a header, or keep it.
var belowPath = map[string]func(t *testing.T, upstream string) string{
	"nginx, stripped": nginxBelow("location / {\n        proxy_pass http://askgate;",
		"location /ask/ {\n        proxy_pass http://askgate/;\n        proxy_set_header X-Forwarded-Prefix /ask;"),
	"nginx, kept":     nginxBelow("location / {", "location /ask/ {"),
	"caddy, stripped": caddyBelow("\tredir /ask /ask/\n\turi strip_prefix /ask\n\treverse_proxy 127.0.0.1:8080 {\n\t\theader_up X-Forwarded-Prefix /ask"),
	"caddy, kept":     caddyBelow("\treverse_proxy 127.0.0.1:8080 {"),
}

func nginxBelow(place, instead string) func(t *testing.T, upstream string) string {
	return func(t *testing.T, upstream string) string {
		address := freePort(t)
		startNginx(t, address, shipped(t, "nginx.conf", nginxNode, nginxNodes(upstream), "listen 80;", "listen "+address+";", place, instead))
		return "http://" + address
	}
}

func caddyBelow(instead string) func(t *testing.T, upstream string) string {
	return func(t *testing.T, upstream string) string {
		address := freePort(t)
		dir := home(t, map[string]string{"Caddyfile": "{\n\tadmin off\n\tauto_https off\n}\n" + shipped(t, "Caddyfile", "\n:80 {", "\nhttp://"+address+" {",
			"\treverse_proxy 127.0.0.1:8080 {", strings.Replace(instead, "127.0.0.1:8080", upstream, 1))})
		launch(t, dir, "caddy", "run", "--config", filepath.Join(dir, "Caddyfile"), "--adapter", "caddyfile")
		up(t, address)
		return "http://" + address
	}
}

// Below a path, the page finds its files, a message streams, the session cookie is limited to the path,
// and the path without a trailing slash leads to the page.
func TestBelowAPathOfAProxy(t *testing.T) {
	const key = "ag_deploy_test_below_0123456789"
	for name, proxy := range belowPath {
		t.Run(name, func(t *testing.T) {
			conf := `{"models": {"default": {"provider": "demo"}}, "trustedProxies": ["127.0.0.1"], "publicUrl": "https://example.org/ask",
				"auth": {"mode": "apiKeys", "keys": [{"id": "a", "hash": "` + fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(key))) + `", "tenant": "acme", "subject": "alice"}]}}`
			if strings.HasSuffix(name, "stripped") {
				conf = strings.Replace(conf, `"publicUrl": "https://example.org/ask",`, "", 1)
			}
			p := start(t, "", map[string]string{"gateway.json": conf, "apps/helper.json": `{"id": "helper", "name": "Helper", "tools": []}`})
			p.url = proxy(t, strings.TrimPrefix(p.url, "http://"))
			p.client.Timeout = time.Minute
			waitFor(t, func() bool { return get(t.Context(), p.url+"/ask/healthz") == http.StatusOK })

			page, err := url.Parse(p.url + "/ask/")
			if err != nil {
				t.Fatal(err)
			}
			files := regexp.MustCompile(`(?:src|href)="([^"]+\.(?:js|css|svg))"`).FindAllStringSubmatch(fetch(t, page.String()), -1)
			if len(files) < 10 {
				t.Fatalf("the page has %d files", len(files))
			}
			for _, f := range files[:5] {
				at, err := page.Parse(f[1])
				if err != nil {
					t.Fatal(err)
				}
				if status := get(t.Context(), at.String()); status != http.StatusOK {
					t.Errorf("%s: %d", at, status)
				}
			}
			if resp := p.do("GET", "/ask", ""); resp.StatusCode != http.StatusOK || resp.Request.URL.Path != "/ask/" {
				t.Errorf("/ask leads to %s: %s", resp.Request.URL, resp.Status)
			}
			signed := p.do("POST", "/ask/v1/session", "", "Authorization", "Bearer "+key)
			if c := signed.Cookies(); len(c) != 1 || c[0].Path != "/ask/" {
				t.Fatalf("signed in: %s %v", signed.Status, signed.Cookies())
			}
			sent := p.do("POST", "/ask/v1/apps/helper/chats/c1/messages", `{"message":"hello"}`, "Cookie", signed.Cookies()[0].Name+"="+signed.Cookies()[0].Value)
			next, stop := pull(sent.Body)
			t.Cleanup(stop)
			for ev := next(); ev.Name != "done"; ev = next() {
				if ev.Name == "" {
					t.Fatalf("the message's stream ends early: %s", sent.Status)
				}
			}
		})
	}
}
