package sqldb

import (
	"cmp"
	"context"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// link is a record's place in a chain.
type link struct {
	id     int64
	seq    int64
	hash   string
	prev   string
	mac    string // "" if it has none
	at     int64
	app    string
	record string
	erased bool // only id, seq, hash and mac are left
}

// auditBlock is how many places of a chain are read at a time.
const auditBlock = 500

// verification checks all chains.
type verification struct {
	h        *handle
	ctx      context.Context
	verdict  store.AuditVerdict
	joins    map[string]int64 // hashes that must be found, each with the id of the record that follows it
	keys     map[string]auditKey
	erased   map[string]spans // the places that were erased
	reported map[string]spans // the places that a record reports as erased
}

// VerifyAudit implements store.Auditor. It reads block by block, so that writers can go on; it
// does not check what is recorded meanwhile.
func (d *Audit) VerifyAudit(ctx context.Context) (store.AuditVerdict, error) {
	v := &verification{
		h: d.h, ctx: ctx, joins: map[string]int64{}, keys: map[string]auditKey{}, erased: map[string]spans{}, reported: map[string]spans{},
	}
	for _, secret := range d.h.secrets() {
		if key := newAuditKey(secret); key.id != "" {
			v.keys[key.id] = key
		}
	}
	heads, err := v.heads()
	if err != nil {
		return v.verdict, err
	}
	if err := v.begin(heads); err != nil {
		return v.verdict, err
	}
	for _, h := range heads {
		if err := v.walk(h.app, h); err != nil {
			return v.verdict, err
		}
	}
	v.verdict.Chains = len(heads)
	for _, id := range v.joins {
		if v.verdict.Broken == nil || v.verdict.Broken.ID == id {
			v.broken(id, "the record that its chain begins after is gone")
		}
	}
	if v.verdict.Broken == nil { // otherwise records of erasures may not have been read
		if err := v.erasures(heads); err != nil {
			return v.verdict, err
		}
	}
	return v.verdict, v.unchained()
}

// begin checks how the chains begin: which record each follows, and whether a chain without HMACs
// begins after one with HMACs.
func (v *verification) begin(heads []link) error {
	firsts := make([]int64, len(heads)) // ids
	keyed := int64(math.MaxInt64)       // the lowest of a chain with HMACs
	for i, h := range heads {
		block, err := v.block(h.app, 1, 1)
		if err != nil {
			return err
		}
		if len(block) == 0 {
			continue // walk reports it
		}
		firsts[i] = block[0].id
		if block[0].prev != "" {
			v.joins[block[0].prev] = block[0].id
		}
		if keyOf(h.app) != "" {
			v.verdict.Keyed++
			keyed = min(keyed, firsts[i])
		}
	}
	for i, h := range heads {
		if keyOf(h.app) == "" && firsts[i] > keyed {
			v.broken(firsts[i], "its chain has no HMAC, but an earlier one has: either auth.session.secret was removed, or someone else wrote the chain")
		}
	}
	return nil
}

// erasures checks that a record names each erased place.
func (v *verification) erasures(heads []link) error {
	for chain, erased := range v.erased {
		seq := erased.without(v.reported[chain])
		if seq > 0 { // may have been erased after the heads were read
			if err := v.reportedSince(heads); err != nil {
				return err
			}
			seq = erased.without(v.reported[chain])
		}
		if seq == 0 {
			continue
		}
		block, err := v.block(chain, seq, seq)
		if err != nil {
			return err
		}
		if len(block) > 0 {
			v.broken(block[0].id, "no record says that it was erased")
		}
	}
	return nil
}

// reportedSince reads the erasures that were recorded after the heads.
func (v *verification) reportedSince(heads []link) error {
	now, err := v.heads()
	if err != nil {
		return err
	}
	for _, h := range now {
		from := int64(1)
		if i := slices.IndexFunc(heads, func(old link) bool { return old.app == h.app }); i >= 0 {
			from = heads[i].seq + 1
		}
		for ; from <= h.seq; from += auditBlock {
			block, err := v.block(h.app, from, min(from+auditBlock-1, h.seq))
			if err != nil {
				return err
			}
			for i := range block {
				v.note(&block[i])
			}
		}
	}
	return nil
}

// note collects the places that a record reports as erased.
func (v *verification) note(l *link) {
	if l.erased || !strings.Contains(l.record, `"places":`) {
		return
	}
	var r struct {
		What   chat.AuditWhat
		Places map[string]string
	}
	if json.Unmarshal([]byte(l.record), &r) != nil || r.What != chat.AuditErased {
		return
	}
	for chain, text := range r.Places {
		if places, err := parseSpans(text); err == nil {
			v.reported[chain] = append(v.reported[chain], places...)
		}
	}
}

func (v *verification) broken(id int64, what string, args ...any) {
	if v.verdict.Broken == nil || id < v.verdict.Broken.ID {
		v.verdict.Broken = &store.AuditFault{ID: id, What: fmt.Sprintf(what, args...)}
	}
}

// heads returns the newest places of all chains; app is the chain.
func (v *verification) heads() ([]link, error) {
	var heads []link
	for after := ""; ; after = heads[len(heads)-1].app {
		page, err := list(v.ctx, v.h, func(scan scanner, l *link) error { return scan(&l.app, &l.seq, &l.hash, &l.mac) }, q.auditHeads, after, maxPage)
		if err != nil {
			return nil, err
		}
		if heads = append(heads, page...); len(page) < maxPage {
			break
		}
	}
	// A chain whose head is gone would otherwise be skipped.
	for after := ""; ; {
		var id int64
		err := v.h.read(v.ctx, func(s session) error {
			return must(one(s, func(scan scanner) error { return scan(&id, &after) }, q.nextChain, after))
		})
		if errors.Is(err, store.ErrNotFound) {
			return heads, nil
		}
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(heads, func(h link) bool { return h.app == after }) {
			continue
		}
		err = v.h.read(v.ctx, func(s session) error { // it may have just begun
			return must(one(s, func(scan scanner) error { return scan(new(int64), new(string)) }, q.readAuditHead, after))
		})
		switch {
		case errors.Is(err, store.ErrNotFound):
			v.broken(id, "the head of its chain is gone")
		case err != nil:
			return nil, err
		}
	}
}

// walk checks a chain up to its head, or up to the first fault.
func (v *verification) walk(chain string, head link) error {
	prev, newest := "", int64(0)
	key, known := v.keys[keyOf(chain)]
	if keyOf(chain) != "" && !known {
		v.verdict.Unchecked = cmp.Or(v.verdict.Unchecked, chain)
	}
	for from := int64(1); from <= head.seq; from += auditBlock {
		to := min(from+auditBlock-1, head.seq)
		block, err := v.block(chain, from, to)
		if err != nil {
			return err
		}
		want := from
		for _, l := range block {
			switch {
			case l.seq != want:
				v.broken(l.id, "the record before it in its chain is gone")
				return nil
			case known && !hmac.Equal([]byte(l.mac), []byte(key.mac(macOfRecord, chain, l.seq, l.hash))):
				v.broken(l.id, "its HMAC does not match")
				return nil
			case l.erased:
				v.verdict.Erased++
				erased := v.erased[chain]
				erased.add(l.seq)
				v.erased[chain] = erased
			case l.seq > 1 && l.prev != prev:
				v.broken(l.id, "it does not come after the record before it")
				return nil
			case recordHash(chain, l.seq, l.prev, l.at, l.app, l.record) != l.hash:
				v.broken(l.id, "its content does not match its hash")
				return nil
			default:
				v.verdict.Records++
				v.note(&l)
			}
			delete(v.joins, l.hash)
			prev, newest = l.hash, l.id
			want++
		}
		if want <= to {
			v.broken(newest, "what came after it in chain %s is gone", chain)
			return nil
		}
	}
	switch {
	case prev != head.hash:
		v.broken(newest, "its hash is not that of its chain's head")
	case known && !hmac.Equal([]byte(head.mac), []byte(key.mac(macOfHead, chain, head.seq, head.hash))):
		v.broken(newest, "the HMAC of its chain's head does not match")
	}
	if newest >= v.verdict.Head.ID {
		v.verdict.Head = store.AuditHead{ID: newest, Hash: prev}
	}
	return nil
}

// block returns the places of a chain from one to another, both included. What is erased between
// the two reads is in both.
func (v *verification) block(chain string, from, to int64) ([]link, error) {
	links, err := list(v.ctx, v.h, func(scan scanner, l *link) error {
		return scan(&l.id, &l.seq, &l.prev, &l.hash, &l.mac, &l.at, &l.app, &l.record)
	}, q.auditLinks, chain, from, to)
	if err != nil {
		return nil, err
	}
	erased, err := list(v.ctx, v.h, func(scan scanner, l *link) error {
		l.erased = true
		return scan(&l.id, &l.seq, &l.hash, &l.mac)
	}, q.erasedLinks, chain, from, to)
	if err != nil {
		return nil, err
	}
	links = append(links, erased...)
	slices.SortStableFunc(links, func(a, b link) int { return int(a.seq - b.seq) })
	return slices.CompactFunc(links, func(a, b link) bool { return a.seq == b.seq && a.hash == b.hash }), nil
}

// unchained looks for records that are not in a chain: each record that the gateway adds is in
// one.
func (v *verification) unchained() error {
	var id int64
	err := v.h.read(v.ctx, func(s session) error {
		return must(one(s, func(scan scanner) error { return scan(&id) }, q.unchained))
	})
	if err == nil {
		v.broken(id, "it is in no chain")
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// AuditHead implements store.Auditor.
func (d *Audit) AuditHead(ctx context.Context) (store.AuditHead, error) {
	var head store.AuditHead
	err := d.h.read(ctx, func(s session) error {
		head = store.AuditHead{}
		_, err := one(s, func(scan scanner) error { return scan(&head.ID, &head.Hash) }, q.newestAudit)
		return err
	})
	return head, err
}
