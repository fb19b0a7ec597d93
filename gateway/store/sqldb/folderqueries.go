package sqldb

// folderStatements are the statements on folders of documents, and on deliveries about them.
type folderStatements struct {
	folder, insertFolder, saveFolder, useFolder, unusedFolder, dropFolder           string
	folderFilesAfter, folderFilesSince, folderFile, saveFolderFile                  string
	dropFolderFiles, dropRemovedFiles, anyFolderFile                                string
	insertFolderDelivery, dueFolderDeliveries, claimFolderDelivery                  string
	endFolderDelivery, advanceFolderDeliveries, postponeFolderDelivery              string
	postponeFolderDeliveries, dropFolderDeliveries, nextFolderWebhook, oldestFolder string
}

const folderFileColumns = `path, sum, work, revision, at`

var onFolders = folderStatements{
	folder:       `SELECT name, tool, revision, whole, untold FROM folders WHERE name = ?`,
	insertFolder: `INSERT INTO folders (name, tool, revision, whole, untold, used) VALUES (?, ?, 1, ?, ?, now_ms()) ON CONFLICT (name) DO NOTHING`,
	saveFolder:   `UPDATE folders SET revision = revision + 1, whole = ?, untold = ?, used = now_ms() WHERE name = ? AND revision = ?`,
	useFolder:    `UPDATE folders SET used = now_ms() WHERE name = ?`,
	unusedFolder: `SELECT name, tool, revision, whole, untold FROM folders WHERE used < ? ORDER BY used LIMIT 1`,
	dropFolder:   `DELETE FROM folders WHERE name = ? AND revision = ?`,

	folderFilesAfter: `SELECT ` + folderFileColumns + ` FROM folder_files WHERE folder = ? AND path > ? ORDER BY path LIMIT ?`,
	folderFilesSince: `SELECT ` + folderFileColumns + ` FROM folder_files WHERE folder = ? AND (revision, path) > (?, ?) ORDER BY revision, path LIMIT ?`,
	folderFile:       `SELECT ` + folderFileColumns + ` FROM folder_files WHERE folder = ? AND path = ?`,
	saveFolderFile: `INSERT INTO folder_files (folder, path, sum, work, revision, at) VALUES (?, ?, ?, ?, ?, now_ms())
		ON CONFLICT (folder, path) DO UPDATE SET sum = excluded.sum, work = excluded.work, revision = excluded.revision, at = excluded.at`,
	dropFolderFiles:  `DELETE FROM folder_files WHERE folder = ? AND path IN (SELECT path FROM folder_files WHERE folder = ? ORDER BY path LIMIT ?)`,
	dropRemovedFiles: `DELETE FROM folder_files WHERE folder = ? AND sum = '' AND at < now_ms() - ?`,
	anyFolderFile:    `SELECT 1 FROM folder_files WHERE folder = ? LIMIT 1`,

	insertFolderDelivery: `INSERT INTO folder_deliveries (id, webhook, event, tool, told, at, due, attempts) VALUES (?, ?, ?, ?, ?, now_ms(), now_ms(), 0)`,
	dueFolderDeliveries: `SELECT d.seq, d.id, d.webhook, d.event, d.tool, d.told, d.at, d.due, d.attempts FROM folder_deliveries d
		WHERE d.webhook = ? AND d.due <= now_ms() AND NOT EXISTS (SELECT 1 FROM folder_deliveries e
			WHERE e.tool = d.tool AND e.webhook = d.webhook AND e.seq < d.seq)
		ORDER BY d.due, d.seq LIMIT ?`,
	claimFolderDelivery:      `UPDATE folder_deliveries SET due = now_ms() + ?, attempts = attempts + 1 WHERE seq = ? AND due = ?`,
	endFolderDelivery:        `DELETE FROM folder_deliveries WHERE seq = ?`,
	advanceFolderDeliveries:  `UPDATE folder_deliveries SET due = now_ms() WHERE tool = ? AND webhook = ? AND seq > ? AND due > now_ms()`,
	postponeFolderDelivery:   `UPDATE folder_deliveries SET due = now_ms() + ? WHERE seq = ? AND attempts = ?`,
	postponeFolderDeliveries: `UPDATE folder_deliveries SET due = now_ms() + ? WHERE tool = ? AND webhook = ? AND seq > ?`,
	dropFolderDeliveries:     `DELETE FROM folder_deliveries WHERE webhook = ? AND at < ?`,
	nextFolderWebhook:        `SELECT webhook FROM folder_deliveries WHERE webhook > ? ORDER BY webhook LIMIT 1`,
	oldestFolder:             `SELECT at FROM folder_deliveries WHERE webhook = ? ORDER BY at LIMIT 1`,
}
