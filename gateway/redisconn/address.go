package redisconn

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// The parameters of an address. go-redis knows more, but they change what AskGate relies on, such as
// timeouts, or read from replicas.
const (
	paramNode           = "addr"        // another node of a cluster
	paramMaster         = "master_name" // of the servers that Sentinel watches
	paramMasterUser     = "username"    // at those servers
	paramMasterPassword = "password"
)

// Faults of an address. None quotes it: what looks like a part may belong to a password.
var (
	errAddress   = errors.New(`not a Redis address; write "redis://user:password@host:6379/0" (special characters percent-encoded), "rediss://..." for TLS, or "" for none`)
	errFragment  = errors.New("a Redis address cannot contain #; percent-encode it in the password")
	errParameter = errors.New("a Redis address can have, after ?, only addr=HOST:PORT (another node of a cluster) or master_name=NAME (Redis Sentinel, also with username and password of the servers); percent-encode ? in the password")
	errBoth      = errors.New("a Redis address cannot have both addr and master_name: keep addr for a cluster, or master_name for Redis Sentinel")
	errNode      = errors.New("an addr in the Redis address is not HOST:PORT")
	errDatabase  = errors.New(`the Redis database is not a number; write "redis://host:6379/0"`)
	errClusterDB = errors.New("a Redis cluster has only database 0: remove the database from the address")
)

// target is what an address names. One of its fields is set.
type target struct {
	server   *redis.Options
	sentinel *redis.FailoverOptions
	cluster  *redis.ClusterOptions
}

// Check returns what is wrong with an address, and how to write it. The error does not quote the
// address, which may hold a password.
func Check(address string) error {
	_, err := parse(address)
	return err
}

func parse(address string) (target, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "redis" && u.Scheme != "rediss") || u.Hostname() == "" {
		return target{}, errAddress
	}
	if u.Fragment != "" {
		return target{}, errFragment
	}
	parameters, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return target{}, errParameter
	}
	cluster, sentinel := parameters.Has(paramNode), parameters.Has(paramMaster)
	for name, values := range parameters {
		switch {
		case name == paramNode, name == paramMaster && len(values) == 1 && values[0] != "":
		case (name == paramMasterUser || name == paramMasterPassword) && sentinel:
		default:
			return target{}, errParameter
		}
	}
	if cluster && sentinel {
		return target{}, errBoth
	}
	for _, node := range parameters[paramNode] {
		if host, port, err := net.SplitHostPort(node); err != nil || host == "" || !isNumber(port, 16) {
			return target{}, errNode
		}
	}
	database := strings.Trim(u.Path, "/")
	switch {
	case database != "" && !isNumber(database, 31):
		return target{}, errDatabase
	case cluster && database != "" && database != "0":
		return target{}, errClusterDB
	}
	var t target
	switch {
	case cluster:
		t.cluster, err = redis.ParseClusterURL(address)
	case sentinel:
		t.sentinel, err = redis.ParseFailoverURL(address)
	default:
		t.server, err = redis.ParseURL(address)
	}
	if err != nil {
		return target{}, errAddress
	}
	return t, nil
}

func isNumber(text string, bits int) bool {
	_, err := strconv.ParseUint(text, 10, bits)
	return err == nil
}

// open connects when the client is used first. A command is tried once, within a timeout; in a
// cluster, it follows redirections.
func (t target) open(timeout time.Duration) *Client {
	off := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	switch {
	case t.cluster != nil:
		o := t.cluster
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout = timeout, timeout, timeout
		o.DialerRetries, o.ContextTimeoutEnabled, o.MaintNotificationsConfig = 1, true, off
		client := redis.NewClusterClient(o)
		return &Client{UniversalClient: client, cluster: client}
	case t.sentinel != nil:
		o := t.sentinel
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout = timeout, timeout, timeout
		o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled = -1, 1, true
		client := redis.NewFailoverClient(o)
		return &Client{UniversalClient: client, server: client}
	default:
		o := t.server
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout = timeout, timeout, timeout
		o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled, o.MaintNotificationsConfig = -1, 1, true, off
		client := redis.NewClient(o)
		return &Client{UniversalClient: client, server: client}
	}
}
