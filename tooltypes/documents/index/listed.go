package index

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
)

// Listed is a file of the index.
type Listed struct {
	Path    string
	Sum     [sha256.Size]byte // of its content
	Changed int64             // Unix nanoseconds; 0: a moment ago
	Work    string            // the title of its only document, or ""
	Unread  bool              // it could not be read
}

const selectListed = `SELECT f.path, f.sum, f.changed, f.size < 0, CASE WHEN f.documents = 1 THEN
	coalesce((SELECT p.work FROM passages p WHERE p.file = f.id ORDER BY p.id LIMIT 1), '') ELSE '' END FROM files f WHERE `

// Files returns up to limit files after a path, by path.
func (x *Index) Files(ctx context.Context, path string, limit int) (list []Listed, err error) {
	rows, err := x.read.QueryContext(ctx, selectListed+`f.path > ? ORDER BY f.path LIMIT ?`, path, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		f, err := listed(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, rows.Err()
}

// FilesAt returns the named files, as far as they are in the index, by path.
func (x *Index) FilesAt(ctx context.Context, paths []string) (map[string]Listed, error) {
	list := make(map[string]Listed, len(paths))
	stmt, err := x.read.PrepareContext(ctx, selectListed+`f.path = ?`)
	if err != nil {
		return nil, err
	}
	defer stmt.Close()
	for _, path := range paths {
		f, err := listed(stmt.QueryRowContext(ctx, path).Scan)
		switch {
		case err == nil:
			list[path] = f
		case !errors.Is(err, sql.ErrNoRows):
			return nil, err
		}
	}
	return list, nil
}

func listed(scan func(...any) error) (f Listed, err error) {
	var sum []byte
	err = scan(&f.Path, &sum, &f.Changed, &f.Unread, &f.Work)
	copy(f.Sum[:], sum)
	return f, err
}
