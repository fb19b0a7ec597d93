package redisconn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/redisconn"
)

func TestAddressesThatCanBeUsed(t *testing.T) {
	for address, cluster := range map[string]bool{
		"redis://h":                                    false,
		"redis://:p%3Fss@h:6379":                       false,
		"rediss://user:pass@h:6380/3":                  false,
		"redis://[::1]:6379/":                          false,
		"redis://h:6379?addr=h2:6379":                  true,
		"redis://h?addr=h:6379":                        true,
		"rediss://u:p@h/0?addr=[::1]:6379":             true,
		"redis://u:p@h:6379?addr=h2:6379&addr=h3:6380": true,
		"redis://h:26379?master_name=m":                false,
		"rediss://su:sp@h:26379/2?master_name=m&username=u&password=p%26%3Fq": false,
	} {
		c, err := redisconn.Open(address, time.Second)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if is := c.SendCommand() == "SPUBLISH"; is != cluster {
			t.Errorf("%s: a cluster: %v, want %v", address, is, cluster)
		}
		_ = c.Close()
	}
}

// Each fault says how to write the address. No error has a part of the address, which may belong to a
// password.
func TestFaultsOfAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"":                                               `write "redis://`,
		"secret":                                         `write "redis://`,
		"http://:secret@host":                            `write "redis://`,
		"unix:///run/secret.sock":                        `write "redis://`,
		"redis://:secret@host:port":                      "percent-encode",
		"redis://:sec%ret@host":                          "percent-encode",
		"redis://:secret@":                               `write "redis://`,
		"redis://host#secret":                            "cannot contain #",
		"redis://host/secretdb":                          "not a number",
		"redis://host/0/1":                               "not a number",
		"redis://host?secret":                            "percent-encode ?",
		"redis://host?secret=1":                          "percent-encode ?",
		"redis://user:12?secret@host:6379/0":             "percent-encode ?",
		"redis://host?pool_size=1":                       "only addr=HOST:PORT",
		"redis://host?a;secret":                          "percent-encode ?",
		"redis://host?read_only=true&addr=h:1":           "only addr=HOST:PORT",
		"redis://host?master_name=":                      "master_name=NAME",
		"redis://host?master_name=secret&master_name=b":  "master_name=NAME",
		"redis://host?username=u&password=secret":        "master_name=NAME",
		"redis://host?addr=h:1&password=secret":          "master_name=NAME",
		"redis://host?addr=h:1&master_name=secret":       "both addr and master_name",
		"redis://host?addr=":                             "not HOST:PORT",
		"redis://host?addr=secret":                       "not HOST:PORT",
		"redis://host?addr=:6379":                        "not HOST:PORT",
		"redis://host?addr=user:secret@h:6379":           "not HOST:PORT",
		"redis://host?addr=h:1&addr=h:secret":            "not HOST:PORT",
		"redis://host/1?addr=h:1":                        "only database 0",
		"redis://host/secret?master_name=m&password=sec": "not a number",
	} {
		err := redisconn.Check(address)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sec") {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
		if _, err := redisconn.Open(address, time.Second); err == nil || strings.Contains(err.Error(), "sec") {
			t.Errorf("opening %s: %v", address, err)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("redis://user:password@host:6379/0")
	f.Add("redis://host:26379?master_name=m&password=p")
	f.Add("rediss://host:6379?addr=[::1]:6379&addr=h:1")
	f.Fuzz(func(t *testing.T, address string) {
		if redisconn.Check(address) != nil {
			return
		}
		c, err := redisconn.Open(address, time.Second)
		if err != nil {
			t.Fatalf("%q is right, and cannot be opened: %v", address, err)
		}
		_ = c.Close()
	})
}
