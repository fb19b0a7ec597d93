package index

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// Version is one of the versions of a work.
type Version struct {
	Work string // its title
	Document
}

// Versions returns the versions of a work that are in force at some time, the earliest first, up to
// most of them.
func (x *Index) Versions(ctx context.Context, key string, most int) (list []Version, err error) {
	rows, err := x.read.QueryContext(ctx, `SELECT p.work, d.work_id, d.begins, d.ends FROM documents d JOIN passages p ON p.id = d.id WHERE d.key = ? AND d.key <> '' AND d.begins <= d.ends ORDER BY d.said_from LIMIT ?`, key, most)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		v := Version{Document: Document{Key: key}}
		if err := rows.Scan(&v.Work, &v.WorkID, &v.ValidFrom, &v.ValidTo); err != nil {
			return nil, err
		}
		v.bound()
		list = append(list, v)
	}
	return list, rows.Err()
}

// Section is a section of a work as of one day.
type Section struct {
	Version bool    // a version of the work is in force on that day
	Parts   []Found // in their order; nil: the version has no such section
}

// Sections returns the passage with an id, and its section on each of some days: the one with the same
// anchor, or else with the same headings; of a PDF, whose anchors are pages, the one with the same
// headings, or without any on the same page. Of a work without versions, it is the passage's own. ok is
// false if such a passage does not exist.
func (x *Index) Sections(ctx context.Context, id string, days ...string) (f Found, list []Section, ok bool, err error) {
	tx, err := x.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return f, nil, false, err
	}
	defer func() { _ = tx.Rollback() }() // a reader has nothing to commit
	f, err = one(tx.QueryRowContext(ctx, selectOne+`p.name = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return f, nil, false, nil
	}
	for _, day := range days {
		if err != nil {
			break
		}
		var s Section
		s, err = sectionOn(ctx, tx, &f, day)
		list = append(list, s)
	}
	return f, list, err == nil, err
}

func sectionOn(ctx context.Context, tx *sql.Tx, f *Found, day string) (s Section, err error) {
	var first, last int64 // passages of the version
	if f.Key == "" {
		err = tx.QueryRowContext(ctx, `SELECT id, last FROM documents WHERE id = (SELECT document FROM passages WHERE name = ?)`, f.ID).Scan(&first, &last)
	} else {
		err = tx.QueryRowContext(ctx, `SELECT id, last FROM documents WHERE key = ? AND key <> '' AND begins <= ? AND ends >= ?`, f.Key, day, day).Scan(&first, &last)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.Version = true
	const (
		own       = `SELECT id - part + 1 FROM passages WHERE name = ? AND document = ?`
		same      = `SELECT id FROM passages WHERE id BETWEEN ? AND ? AND part = 1 AND `
		byAnchor  = `(anchor = ? AND anchor <> '' OR heading = ?) ORDER BY CASE WHEN anchor = ? AND heading = ? THEN 0 WHEN anchor = ? AND anchor <> '' THEN 1 ELSE 2 END, id LIMIT 1`
		byHeading = `heading = ? AND (heading <> '' OR anchor = ?) ORDER BY id LIMIT 1`
		onPages   = `SELECT coalesce(max(id), ? - 1) + 1 FROM passages WHERE id BETWEEN ? AND ? AND heading <> ?`
	)
	paged := strings.HasPrefix(f.Anchor, passages.PageAnchor)
	var begin int64
	err = tx.QueryRowContext(ctx, own, f.ID, first).Scan(&begin) // it may be this version
	switch {
	case err == nil && paged && f.Heading != "": // on an earlier page
		err = tx.QueryRowContext(ctx, onPages, first, first, begin, f.Heading).Scan(&begin)
	case errors.Is(err, sql.ErrNoRows) && paged:
		err = tx.QueryRowContext(ctx, same+byHeading, first, last, f.Heading, f.Anchor).Scan(&begin)
	case errors.Is(err, sql.ErrNoRows):
		err = tx.QueryRowContext(ctx, same+byAnchor, first, last, f.Anchor, f.Heading, f.Anchor, f.Heading, f.Anchor).Scan(&begin)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	rows, err := tx.QueryContext(ctx, selectOne+`p.id BETWEEN ? AND ? ORDER BY p.id`, begin, last)
	if err != nil {
		return s, err
	}
	defer rows.Close()
	for rows.Next() {
		part, err := one(rows)
		if err != nil {
			return s, err
		}
		if part.Part == 1 && len(s.Parts) > 0 {
			if before := &s.Parts[len(s.Parts)-1]; !paged || part.Heading == "" || part.Heading != before.Heading {
				break
			}
			part.Gap = "\n\n" // on the next page
		}
		s.Parts = append(s.Parts, part)
	}
	return s, rows.Err()
}
