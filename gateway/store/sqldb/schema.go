package sqldb

import (
	"embed"
	"io/fs"
)

//go:embed migrations
var migrations embed.FS

// schema holds the tables by version.
type schema struct {
	files   fs.FS // has a folder for each kind of database
	changes []change
}

// change turns the tables of the previous version into those of its own version; the first change
// creates them.
type change struct {
	version int64
	files   []string
}

// tables are those of this build. Their files are frozen: a change is a new file, at the end.
var tables = schema{migrations, []change{
	{38, []string{"tables.sql", "stored.sql"}},
	{39, []string{"callers.sql"}},
	{40, []string{"decisions.sql"}},
	{41, []string{"waited.sql"}},
	{42, []string{"notices.sql"}},
	{43, []string{"escalated.sql"}},
	{44, []string{"deleted.sql"}},
	{45, []string{"folders.sql"}},
	{46, []string{"due.sql"}},
	{47, []string{"asked.sql"}},
	{48, []string{"told.sql"}},
	{49, []string{"counts.sql"}},
}}

// version returns the version of the newest tables.
func (s *schema) version() int64 { return s.changes[len(s.changes)-1].version }
