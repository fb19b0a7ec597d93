package storecopy

// table is a table whose rows are copied.
type table struct {
	name    string
	key     []string // unique, and in the same order in both databases: bytes, or numbers
	counter string   // the column that counts up, or ""
	again   bool     // whether SQLite may use a number of the counter again, after the greatest one
}

// tables are all whose rows are copied, in an order in which no row refers to a later one.
var tables = []table{
	{name: "conversations", key: []string{"tenant", "subject", "app", "chat_id"}},
	{name: "messages", key: []string{"conversation_id", "position"}},
	{name: "tool_calls", key: []string{"conversation_id", "id"}},
	{name: "contents", key: []string{"conversation_id", "id"}},
	{name: "files", key: []string{"seq"}, counter: "seq", again: true},
	{name: "kept_files", key: []string{"id"}},
	{name: "queue", key: []string{"conversation_id", "position"}},
	{name: "deferred_messages", key: []string{"conversation_id", "position"}},
	{name: "ran", key: []string{"conversation_id", "tool", "digest"}},
	{name: "relayed", key: []string{"key"}},
	{name: "runs", key: []string{"conversation_id", "fence"}},
	{name: "fits", key: []string{"conversation_id", "model"}},
	{name: "bases", key: []string{"conversation_id"}},
	{name: "client_tools", key: []string{"conversation_id"}},
	{name: "callers", key: []string{"conversation_id", "of_id"}},
	{name: "instructions", key: []string{"conversation_id", "message_id"}},
	{name: "keys", key: []string{"scope", "key"}},
	{name: "clarifications", key: []string{"id"}},
	{name: "also_asked", key: []string{"conversation_id", "clarification_id", "role"}},
	// The id alone is the key of SQLite; in a PostgreSQL that was restored from a dump it may repeat.
	{name: "news", key: []string{"id", "type", "conversation_id", "clarification_id", "turn_id", "message_id"}},
	{name: "deliveries", key: []string{"seq"}, counter: "seq"},
	{name: "folders", key: []string{"name"}},
	{name: "folder_files", key: []string{"folder", "path"}},
	{name: "folder_deliveries", key: []string{"seq"}, counter: "seq"},
	{name: "notices", key: []string{"seq"}, counter: "seq"},
	{name: "addresses", key: []string{"tenant", "subject"}},
	{name: "memory", key: []string{"id"}},
	{name: "meters", key: []string{"name", "holder", "started"}},
	{name: "audit", key: []string{"id"}, counter: "id"},
	{name: "audit_heads", key: []string{"chain"}},
	{name: "audit_erased", key: []string{"chain", "seq"}},
	{name: "said", key: []string{"conversation_id", "asker"}},
	{name: "stored", key: []string{"tenant", "subject"}},
	{name: "pending_counts", key: []string{"app"}},
}

// left are the tables that are not copied: the leases of nodes that have ended, marks of commits
// that no process waits for, and what goose and SQLite keep for themselves.
var left = []string{"nodes", "commits", "goose_db_version", "sqlite_sequence"}

// summed replaces tables that the databases keep differently: PostgreSQL has any number of rows for
// a principal or an app, which count together.
var summed = map[string]string{
	"stored": `(SELECT tenant, subject, CAST(sum(bytes) AS bigint) AS bytes FROM stored GROUP BY tenant, subject HAVING sum(bytes) <> 0) AS stored`,
	"pending_counts": `(SELECT app, CAST(sum(pending) AS bigint) AS pending, CAST(sum(unseen) AS bigint) AS unseen FROM pending_counts
		GROUP BY app HAVING sum(pending) <> 0) AS pending_counts`,
}
