package storecopy

import (
	"fmt"

	"github.com/askgate/askgate/gateway/store/sqldb"
)

// guarded are the tables that no one may write to while a store is marked: all that gateways write
// to, with the leases of nodes. The marks of commits are the copy's own, too.
func guarded() []string {
	names := []string{"nodes"}
	for _, t := range tables {
		names = append(names, t.name)
	}
	return names
}

const guard = "closed_by_askgate_copy"

// sqliteEvents are what SQLite has a trigger for each.
var sqliteEvents = []string{"insert", "update", "delete"}

// shut makes triggers that refuse all writes.
func (s *side) shut(t sqldb.RawTx) {
	if s.Postgres() {
		t.Later(`CREATE OR REPLACE FUNCTION ` + guard + `() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '` + sqldb.ClosedText + `' USING ERRCODE = 'object_not_in_prerequisite_state';
END $$`)
	}
	for _, name := range guarded() {
		if s.Postgres() {
			t.Later(`CREATE TRIGGER ` + guard + ` BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON ` + name + ` FOR EACH STATEMENT EXECUTE FUNCTION ` + guard + `()`)
			continue
		}
		for _, event := range sqliteEvents {
			t.Later(fmt.Sprintf(`CREATE TRIGGER %s_%s_%s BEFORE %s ON %s BEGIN SELECT RAISE(ABORT, '%s'); END`, guard, name, event, event, name, sqldb.ClosedText))
		}
	}
}

// unshut drops them.
func (s *side) unshut(t sqldb.RawTx) {
	for _, name := range guarded() {
		if s.Postgres() {
			t.Later(`DROP TRIGGER IF EXISTS ` + guard + ` ON ` + name)
			continue
		}
		for _, event := range sqliteEvents {
			t.Later(fmt.Sprintf(`DROP TRIGGER IF EXISTS %s_%s_%s`, guard, name, event))
		}
	}
	if s.Postgres() {
		t.Later(`DROP FUNCTION IF EXISTS ` + guard + `()`)
	}
}

// quietly writes to a table with all its triggers off, which nothing outside the transaction sees.
func (s *side) quietly(t sqldb.RawTx, name string, write func()) error {
	if s.Postgres() {
		t.Later(`ALTER TABLE ` + name + ` DISABLE TRIGGER USER`)
		write()
		t.Later(`SET CONSTRAINTS ALL IMMEDIATE`) // triggers are not turned on while checks of foreign keys wait
		t.Later(`ALTER TABLE ` + name + ` ENABLE TRIGGER USER`)
		return nil
	}
	triggers, err := t.Read(2, `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`, name)
	if err != nil {
		return err
	}
	for _, trigger := range triggers {
		t.Later(`DROP TRIGGER ` + quote(asText(trigger[0])))
	}
	write()
	for _, trigger := range triggers {
		t.Later(asText(trigger[1]))
	}
	return nil
}
