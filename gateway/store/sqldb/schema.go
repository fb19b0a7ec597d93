package sqldb

import (
	"embed"
	"io/fs"
)

//go:embed migrations
var migrations embed.FS

// schema is the tables by their versions.
type schema struct {
	files   fs.FS // has a folder for each kind of database
	changes []change
}

// change makes the tables of a version out of those of the version before, or, as the first one, out of nothing.
type change struct {
	version int64
	files   []string
}

// tables are those of this build. Their files are frozen: whatever changes is a new one, at the end.
var tables = schema{migrations, []change{
	{38, []string{"tables.sql", "stored.sql"}},
}}

// version is that of the newest tables.
func (s *schema) version() int64 { return s.changes[len(s.changes)-1].version }
