package index

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
)

// said is what a version says about when it is in force.
type said struct {
	id       int64
	path     string
	from, to string
}

// force is when a version is in force, and what is wrong with what it says.
type force struct {
	begins, ends string
	fault        string
}

// inForce returns when each version of one work is in force. The versions are sorted by from, path
// and id.
func inForce(list []said) []force {
	out := make([]force, len(list))
	before := -1 // the last version before
	for i, v := range list {
		if before >= 0 && list[before].from == v.from {
			out[i] = force{begins: forever, ends: always, fault: fmt.Sprintf("is the same version as %s, which counts instead; remove one of them, or give them different days", name(list[before].path))}
			continue
		}
		out[i] = force{begins: v.from, ends: v.to}
		if v.to == "" {
			out[i].ends = forever
		}
		if before >= 0 && out[before].ends >= v.from {
			if list[before].to != "" {
				out[before].fault = fmt.Sprintf("overlaps with %s, which begins later and counts from its first day on; correct the days of one of them", name(v.path))
			}
			out[before].ends = dayBefore(v.from)
		}
		before = i
	}
	return out
}

// name returns a path for the log.
func name(path string) string { return tools.Shorten(path, 200) }

// dayBefore returns the day before a day.
func dayBefore(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil { // cannot happen: the days are checked when a file is read
		return day
	}
	return t.AddDate(0, 0, -1).Format(time.DateOnly)
}

// touched notes that a version came or went.
func (u *update) touched(key string) {
	if key == "" {
		return
	}
	if u.keys == nil {
		u.keys = map[string]bool{}
	}
	u.keys[key] = true
}

// postpone leaves the versions that came or went to Settle.
func (u *update) postpone() {
	for key := range u.keys {
		u.exec(`INSERT OR IGNORE INTO stale_keys (key) VALUES (?)`, key)
	}
}

// resolve determines when each version of the changed works is in force.
func (u *update) resolve() {
	for _, key := range slices.Sorted(maps.Keys(u.keys)) {
		u.resolveWhere(`d.key = ?`, key)
	}
}

// resolveAll does the same for what postpone left.
func (u *update) resolveAll() {
	u.resolveWhere(`d.key IN (SELECT key FROM stale_keys)`)
	u.exec(`DELETE FROM stale_keys`)
}

func (u *update) resolveWhere(which string, args ...any) {
	if u.err != nil {
		return
	}
	rows, err := u.tx.QueryContext(u.ctx, `SELECT d.id, f.path, d.key, d.said_from, d.said_to, d.begins, d.ends FROM documents d JOIN files f ON f.id = d.file WHERE d.key <> '' AND `+which+` ORDER BY d.key, d.said_from, f.path, d.id`, args...) //nolint:gosec // one of two constant texts
	if err != nil {
		u.err = err
		return
	}
	defer rows.Close()
	changed := map[int64]force{}
	var list []said
	var old []force
	last := ""
	flush := func() {
		for i, now := range inForce(list) {
			u.report(list[i].path, now.fault)
			if now.fault = ""; now != old[i] {
				changed[list[i].id] = now
			}
		}
		list, old = list[:0], old[:0]
	}
	for rows.Next() {
		var v said
		var key string
		var o force
		if u.err = rows.Scan(&v.id, &v.path, &key, &v.from, &v.to, &o.begins, &o.ends); u.err != nil {
			return
		}
		if key != last {
			flush()
			last = key
		}
		list, old = append(list, v), append(old, o)
	}
	if u.err = rows.Err(); u.err != nil {
		return
	}
	flush()
	for id, now := range changed {
		u.exec(`UPDATE documents SET begins = ?, ends = ? WHERE id = ?`, now.begins, now.ends, id)
	}
}

// report notes the first fault of a file, or that it has none.
func (u *update) report(path, fault string) {
	if u.unclear == nil {
		u.unclear = map[string]string{}
	}
	if u.unclear[path] == "" {
		u.unclear[strings.Clone(path)] = fault
	}
}

// note keeps what a committed update reported.
func (x *Index) note(unclear map[string]string) {
	if x.unclear == nil {
		x.unclear = unclear
		return
	}
	maps.Copy(x.unclear, unclear)
}

// Unclear returns, by file, what is wrong with the validity of its versions, "" for nothing. It has
// the files whose work got or lost a version since the last call. Only the goroutine that calls
// Update may call it.
func (x *Index) Unclear() map[string]string {
	list := x.unclear
	x.unclear = nil
	return list
}
