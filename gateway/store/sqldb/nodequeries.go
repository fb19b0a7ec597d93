package sqldb

// nodeStatements are those that a node asks for all chats or apps at once: for its streams, and for its
// metrics. Triggers count the questions that wait as they change, so that no statement counts them.
type nodeStatements struct{ positions, begun, pendingPerApp, undelivered string }

var ofNodes = nodeStatements{
	positions: `SELECT id, event_fence, event_seq FROM conversations WHERE id among(?)`,
	begun:     `SELECT 1 FROM conversations WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ?`,
	pendingPerApp: `SELECT app, CAST(sum(pending) AS bigint), least(` + oldest("1") + `, ` + oldest("2") + `)
		FROM pending_counts n GROUP BY app HAVING sum(pending) > 0 ORDER BY app`,
	// The few that were asked after the given time are counted.
	undelivered: `SELECT app, CAST(sum(unseen) AS bigint) - (SELECT count(*) FROM clarifications c
			WHERE ` + countedAs + ` = 2 AND c.kind <> 'input' AND c.app = n.app AND c.asked_at > ?)
		FROM pending_counts n GROUP BY app HAVING sum(unseen) > 0 ORDER BY app`,
}

// oldest is when the oldest question of an app and kind of countedAs was asked, or the end of time.
func oldest(kind string) string {
	// With "=", PostgreSQL may look for the oldest of an app among those of all apps.
	return `coalesce((SELECT c.asked_at FROM clarifications c WHERE ` + countedAs + ` = ` + kind + ` AND c.app BETWEEN n.app AND n.app
		ORDER BY c.app, c.asked_at LIMIT 1), 9223372036854775807)`
}
