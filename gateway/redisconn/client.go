// Package redisconn connects to what the key redis names, and is the only place that reads it:
//
//	redis://host:6379/0                  one server, or one address that fails over
//	redis://host:26379?master_name=NAME  the master that Redis Sentinel names
//	redis://host:6379?addr=host2:6379    a cluster
//
// A cluster keeps each key, and each channel, on one of its masters: that of the key's hash slot.
// Channels of a cluster are sharded (SPUBLISH, SSUBSCRIBE), because the others are sent to all of its
// nodes. One server, which may be as old as Redis 6.2, has only those others.
package redisconn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

func init() { logging.Disable() } // who uses a client logs what matters

// Client is a connection to Redis. It is safe for concurrent use.
type Client struct {
	redis.UniversalClient
	server  *redis.Client        // nil with a cluster
	cluster *redis.ClusterClient // nil without
}

// Open makes a client, and does not connect yet. Connecting, reading and writing take at most timeout
// each. Errors are those of Check. The client must be closed.
func Open(address string, timeout time.Duration) (*Client, error) {
	t, err := parse(address)
	if err != nil {
		return nil, fmt.Errorf("redis: the address cannot be used: %w", err)
	}
	return t.open(timeout), nil
}

// Part is a server that has keys, and the name of a key that belongs there.
type Part struct {
	Server *redis.Client
	Key    string
}

// maxTags bounds the search for a key of a master. With a thousand masters, each of which has 16
// slots, a master is missed with a probability of e^-256.
const maxTags = 1 << 18

// Spread asks for the servers that have keys now, and returns each with a key: the name or, in a
// cluster, the name and a hash tag.
func (c *Client) Spread(ctx context.Context, name string) ([]Part, error) {
	if c.cluster == nil {
		return []Part{{c.server, name}}, nil
	}
	var mu sync.Mutex
	missing := map[*redis.Client]struct{}{}
	if err := c.cluster.ForEachMaster(ctx, func(_ context.Context, master *redis.Client) error {
		mu.Lock()
		defer mu.Unlock()
		missing[master] = struct{}{}
		return nil
	}); err != nil {
		return nil, err
	}
	var parts []Part
	for tag := 0; len(missing) > 0 && tag < maxTags; tag++ {
		key := fmt.Sprintf("%s{%d}", name, tag)
		master, err := c.Home(ctx, key)
		if err != nil {
			return nil, err
		}
		if _, is := missing[master]; is {
			delete(missing, master)
			parts = append(parts, Part{master, key})
		}
	}
	if len(missing) > 0 || len(parts) == 0 {
		return nil, errors.New("redis: the masters of the cluster are changing")
	}
	return parts, nil
}

// Home returns the server that has a key or a channel, as far as it is known here.
func (c *Client) Home(ctx context.Context, key string) (*redis.Client, error) {
	if c.cluster == nil {
		return c.server, nil
	}
	return c.cluster.MasterForKey(ctx, key)
}

// Explain adds to an error, which may be nil, how to write the address, if that is the reason.
func (c *Client) Explain(err error) error {
	switch {
	case c.cluster == nil && redis.HasErrorPrefix(err, "MOVED"):
		return fmt.Errorf("this is a cluster: add ?addr=HOST:PORT of another node to the address: %w", err)
	case c.cluster != nil && redis.HasErrorPrefix(err, "This instance has cluster support disabled"):
		return fmt.Errorf("this is not a cluster: remove addr from the address: %w", err)
	}
	return err
}

// Send sends a message to those who listen to a channel, as a command of to. The answer is their
// number.
func (c *Client) Send(ctx context.Context, to redis.Cmdable, channel string, message any) *redis.IntCmd {
	if c.cluster == nil {
		return to.Publish(ctx, channel, message)
	}
	return to.SPublish(ctx, channel, message)
}

// SendCommand is the name of the command that sends, for scripts.
func (c *Client) SendCommand() string {
	if c.cluster == nil {
		return "PUBLISH"
	}
	return "SPUBLISH"
}

// Listen subscribes to channels, all of which must be at home on the server of ps.
func (c *Client) Listen(ctx context.Context, ps *redis.PubSub, channels ...string) error {
	if c.cluster == nil {
		return ps.Subscribe(ctx, channels...)
	}
	for _, channel := range channels { // one command takes only channels of one slot
		if err := ps.SSubscribe(ctx, channel); err != nil {
			return err
		}
	}
	return nil
}

// Leave ends the subscription to a channel.
func (c *Client) Leave(ctx context.Context, ps *redis.PubSub, channel string) error {
	if c.cluster == nil {
		return ps.Unsubscribe(ctx, channel)
	}
	return ps.SUnsubscribe(ctx, channel)
}

// Confirms reports whether Redis confirms with s that someone listens to the channel now, and Ends
// whether it says that someone does not any more.
func Confirms(s *redis.Subscription) bool { return s.Kind == "subscribe" || s.Kind == "ssubscribe" }

// Ends is the opposite of Confirms.
func Ends(s *redis.Subscription) bool { return s.Kind == "unsubscribe" || s.Kind == "sunsubscribe" }
