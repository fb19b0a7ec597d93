package sqldb

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/chat"
)

// chains are those that this process adds to. A transaction with records has a chain to itself
// until it ends, so no write waits for another's records; without concurrency, it is always the
// same chain. The database knows the newest record of each chain. Safe for concurrent use.
type chains struct {
	mu   sync.Mutex
	key  string // id of the key that makes their HMACs
	name string
	made int
	free []string // the last one used is at the end
}

// take takes a chain of a key. A key other than the previous one begins new chains.
func (c *chains) take(key string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.key != key {
		c.key, c.made, c.free = key, 0, nil
	}
	if last := len(c.free) - 1; last >= 0 {
		chain := c.free[last]
		c.free = c.free[:last]
		return chain
	}
	if c.made++; c.made == 1 {
		c.name = newChainName(key)
	}
	return fmt.Sprintf("%s/%d", c.name, c.made)
}

func (c *chains) put(chain string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if keyOf(chain) == c.key {
		c.free = append(c.free, chain)
	}
}

// recorder adds a transaction's records to a chain.
type recorder struct {
	chains  *chains
	current func() auditKey
	key     auditKey // of the chain
	chain   string   // "" before the first record
	known   bool     // whether seq and hash have been read in this try of the transaction
	seq     int64
	hash    string // of the newest record
	added   []chat.AuditWhat
}

// again begins another attempt at the transaction.
func (r *recorder) again() { r.known, r.added = false, nil }

// end gives the chain back.
func (r *recorder) end() {
	if r.chain != "" {
		r.chains.put(r.chain)
	}
}

// add queues a record, which is deleted with its conversation; nil means that it belongs to none.
func (r *recorder) add(s session, conversation any, record chat.AuditRecord) error {
	if err := r.find(s); err != nil {
		return err
	}
	record.ID, record.Chain, record.Seq, record.Prev, record.Hash = 0, "", 0, "", "" // the row has them
	text, err := toJSON(record)
	if err != nil {
		return err
	}
	at := toMillis(time.Time(record.At))
	prev := r.hash
	r.seq++
	r.hash = recordHash(r.chain, r.seq, prev, at, record.App, text)
	s.later(q.insertAudit, conversation, at, record.App, text, r.chain, r.seq, prev, r.hash, r.key.mac(macOfRecord, r.chain, r.seq, r.hash))
	s.later(q.saveAuditHead, r.chain, r.seq, r.hash, r.key.mac(macOfHead, r.chain, r.seq, r.hash))
	r.added = append(r.added, record.What)
	return nil
}

// find reads the record that the new one follows. The first record of a chain follows the newest
// record of all chains, which joins the chains.
func (r *recorder) find(s session) error {
	if r.known {
		return nil
	}
	if r.chain == "" {
		r.key = r.current()
		r.chain = r.chains.take(r.key.id)
	}
	found, err := one(s, func(scan scanner) error { return scan(&r.seq, &r.hash) }, q.auditHead, r.chain)
	if err == nil && !found {
		var id int64
		r.seq, r.hash = 0, ""
		_, err = one(s, func(scan scanner) error { return scan(&id, &r.hash) }, q.newestAudit)
	}
	r.known = err == nil
	return err
}

// recordHash binds a record to its place.
func recordHash(chain string, seq int64, prev string, at int64, app, record string) string {
	h := sha256.New()
	bind(h, "askgate audit 1", chain, fmt.Sprint(seq), prev, fmt.Sprint(at), app, record)
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
