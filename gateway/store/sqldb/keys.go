package sqldb

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// keepKeys is how long idempotency keys are kept, which is as long as the engine looks back.
const keepKeys = 24 * time.Hour

// askersScope is the scope of the keys of askers. No conversation has this id.
func askersScope(tenant, asker, app string) string {
	return strings.Join([]string{tenant, asker, app}, "\x00")
}

// txKeys is a store.KeyTx.
type txKeys struct {
	*chatTx
	has bool // the key was stored by this transaction
}

func (t *txKeys) Find(key string, notBefore time.Time) (chat.Key, error) {
	if t.isNew && !t.has { // asked for the first message of a chat, which need not wait for the database
		return chat.Key{}, cmp.Or(t.w.usable(), store.ErrNotFound)
	}
	return t.read(t.head.ID, chat.Key{Key: key}, notBefore)
}

// read reads the rest of a key in its scope.
func (t *txKeys) read(scope string, k chat.Key, notBefore time.Time) (chat.Key, error) {
	var created int64
	err := must(t.w.one(func(scan scanner) error { return scan(&k.Hash, &k.Fence, &k.Of, &created) }, q.key, scope, k.Key, toMillis(notBefore)))
	if err != nil {
		return chat.Key{}, err
	}
	k.CreatedAt = fromMillis(created)
	return k, nil
}

// Save also deletes the chat's expired keys, by the clock that dated k.
func (t *txKeys) Save(k chat.Key) error {
	if !t.isNew {
		if err := t.w.later(q.dropOldKeys, t.head.ID, toMillis(k.CreatedAt.Add(-keepKeys))); err != nil {
			return err
		}
	}
	t.has = true
	_, values := t.values(&k, math.MaxInt64)
	return t.w.later(q.saveKey, values...)
}

func (t *txKeys) Claim(k chat.Key, notBefore time.Time) (chat.Key, error) {
	scope, values := t.values(&k, toMillis(notBefore))
	if n, err := t.w.exec(q.saveKey, values...); err != nil || n > 0 {
		return k, err
	}
	return t.read(scope, chat.Key{Asker: k.Asker, Key: k.Key}, time.Time{})
}

// values returns the arguments of q.saveKey. Only the row of an asker's key names its
// conversation; for a person's key, the scope is the conversation.
func (t *txKeys) values(k *chat.Key, notBefore int64) (scope string, values []any) {
	scope = t.head.ID
	var conversation any
	if k.Asker != "" {
		scope, conversation = askersScope(t.head.Tenant, k.Asker, t.head.App), t.head.ID
	}
	return scope, []any{scope, k.Key, k.Hash, k.Fence, k.Of, toMillis(k.CreatedAt), conversation, notBefore}
}

// maxClaimed limits the results of Claimed.
const maxClaimed = 1000

// Claimed implements store.Reader.
func (d *DB) Claimed(ctx context.Context, tenant, asker, app, prefix string) ([]string, error) {
	scope := askersScope(tenant, asker, app)
	return list(ctx, d.h, func(scan scanner, id *string) error { return scan(id) }, q.claimed, scope, prefix, prefix+"\xff", maxClaimed)
}

// DropKeys implements store.Sweeper.
func (d *Due) DropKeys(ctx context.Context, before time.Time) error {
	return d.h.write(ctx, true, func(s session) error {
		_, err := s.exec(q.dropKeys, toMillis(before))
		return d.h.fail(err)
	})
}
