package redishub

import (
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// maxBytes is roughly how many bytes the stream of one topic keeps: as many as a node's own log.
	maxBytes = 4 << 20
	// maxAge is how long a stream outlives its newest entry. A follower that comes later reads the
	// store.
	maxAge = 10 * time.Minute
	// entryCost is added to an entry's size for what Redis stores about it.
	entryCost = 64
)

// lastID is the highest possible id in a stream. An entry with it is the only one of an erased
// topic, and Redis refuses all that follow. It stays for maxAge.
const lastID = "18446744073709551615-18446744073709551615"

// shipScript adds an entry and sends it to the topic's followers, in one step.
//
//	KEYS  stream, its size    ARGV  id, payload, channel, maxBytes, maxAge in ms, cost, PUBLISH or SPUBLISH
//
// It returns how many nodes got it, or -1 if Redis has that id or a later one already. If the stream
// is too large, its older half is dropped.
var shipScript = redis.NewScript(`
local added = redis.pcall('XADD', KEYS[1], ARGV[1], 'p', ARGV[2])
if type(added) == 'table' and added.err then
  if string.find(added.err, 'equal or smaller', 1, true) or string.find(added.err, 'exhausted', 1, true) then
    return -1
  end
  return added
end
local size = redis.call('INCRBY', KEYS[2], #ARGV[2] + ARGV[6])
if size > tonumber(ARGV[4]) then
  redis.call('XTRIM', KEYS[1], 'MAXLEN', math.ceil(redis.call('XLEN', KEYS[1]) / 2))
  redis.call('SET', KEYS[2], math.floor(size / 2))
end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
return redis.call(ARGV[7], ARGV[3], ARGV[2])
`)

// eraseScript erases a topic and leaves the entry that nothing can follow.
//
//	KEYS  stream, its size    ARGV  lastID, maxAge in ms, signature
var eraseScript = redis.NewScript(`
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('XADD', KEYS[1], ARGV[1], 'p', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`)

// forgetScript deletes what a topic has, unless it is erased.
//
//	KEYS  stream, its size    ARGV  lastID
const forgetScript = `
if #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) == 0 then
  redis.call('DEL', KEYS[1], KEYS[2])
end
return 1
`
