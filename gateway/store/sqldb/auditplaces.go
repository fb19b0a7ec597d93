package sqldb

import (
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
)

// span is a range of consecutive places of a chain, both ends included.
type span struct{ from, to int64 }

// spans are places of one chain.
type spans []span

// add adds a place; consecutive ones in order become one span.
func (s *spans) add(seq int64) {
	if last := len(*s) - 1; last >= 0 && (*s)[last].to+1 == seq {
		(*s)[last].to = seq
		return
	}
	*s = append(*s, span{seq, seq})
}

// String returns the form used in records: "4,7-9".
func (s spans) String() string {
	parts := make([]string, len(s))
	for i, p := range s {
		if parts[i] = strconv.FormatInt(p.from, 10); p.to > p.from {
			parts[i] += "-" + strconv.FormatInt(p.to, 10)
		}
	}
	return strings.Join(parts, ",")
}

// parseSpans reads the result of String.
func parseSpans(text string) (s spans, err error) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		var p span
		if p.from, err = strconv.ParseInt(first, 10, 64); err != nil {
			return nil, err
		}
		if p.to = p.from; ranged {
			if p.to, err = strconv.ParseInt(last, 10, 64); err != nil {
				return nil, err
			}
		}
		s = append(s, p)
	}
	return s, nil
}

// without returns the first place of s that is in none of others, or 0.
func (s spans) without(others spans) int64 {
	slices.SortFunc(others, func(a, b span) int { return int(a.from - b.from) })
	i := 0
	for _, p := range s {
		for seq := p.from; seq <= p.to; seq = others[i].to + 1 {
			for i < len(others) && others[i].to < seq {
				i++
			}
			if i == len(others) || others[i].from > seq {
				return seq
			}
		}
	}
	return 0
}

// maxSpans is how many spans one record of an erasure names: some 10 KB of text.
const maxSpans = 1000

// erasures returns the records of the erasure of a chat with these places of the audit: those
// that the caller wants, the last one with the places, and more if one would be too large. If
// places were erased and the caller wants no record, the gateway adds its own.
func (d *handle) erasures(ref chat.Ref, places map[string]spans, wanted []chat.AuditRecord) []chat.AuditRecord {
	if len(places) == 0 {
		return wanted
	}
	last := chat.AuditRecord{
		At: chat.Time(d.Now()), What: chat.AuditErased, Tenant: ref.Tenant, App: ref.App, By: chat.Actor{Kind: chat.ActorGateway},
	}
	if n := len(wanted); n > 0 {
		last, wanted = wanted[n-1], wanted[:n-1]
	}
	records := slices.Clone(wanted)
	room := 0
	for chain, all := range places {
		for part := range slices.Chunk(all, maxSpans) {
			if room < len(part) {
				last.Places = map[string]string{}
				records, room = append(records, last), maxSpans
			}
			text := part.String()
			if before := last.Places[chain]; before != "" {
				text = before + "," + text
			}
			last.Places[chain] = text
			room -= len(part)
		}
	}
	return records
}

// placesOf returns the places of a chat's records in the audit, by chain. It locks the chat.
func placesOf(s session, ref chat.Ref) (map[string]spans, error) {
	var id string
	found, err := one(s, func(scan scanner) error { return scan(&id) }, q.lockByRef, ref.Tenant, ref.Subject, ref.App, ref.ChatID)
	if err != nil || !found {
		return nil, err
	}
	seqs := map[string][]int64{}
	err = s.each(rows(func(scan scanner) error {
		var chain string
		var seq int64
		err := scan(&chain, &seq)
		seqs[chain] = append(seqs[chain], seq)
		return err
	}, q.auditPlaces, id))
	return spansOf(seqs), err
}

// spansOf returns places, by chain.
func spansOf(seqs map[string][]int64) map[string]spans {
	places := map[string]spans{}
	for chain, list := range seqs {
		slices.Sort(list)
		var of spans
		for _, seq := range list {
			of.add(seq)
		}
		places[chain] = of
	}
	return places
}
