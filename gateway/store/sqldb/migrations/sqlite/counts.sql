-- How many questions wait, by their app, and how many of them no screen has shown (inputs, which none shows, do not
-- count), so that a scrape of metrics counts no rows. Triggers keep it, in the transaction that changes the rows:
-- what the foreign keys delete counts, too.
CREATE TABLE pending_counts (
    app     TEXT    NOT NULL PRIMARY KEY,
    pending INTEGER NOT NULL,
    unseen  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO pending_counts (app, pending, unseen)
    SELECT app, count(*), sum(seen_at = 0 AND kind <> 'input') FROM clarifications WHERE state = 'pending' GROUP BY app;
CREATE TRIGGER clarifications_began AFTER INSERT ON clarifications WHEN NEW.state = 'pending' BEGIN
    INSERT INTO pending_counts (app, pending, unseen) VALUES (NEW.app, 1, NEW.seen_at = 0 AND NEW.kind <> 'input')
        ON CONFLICT (app) DO UPDATE SET pending = pending + excluded.pending, unseen = unseen + excluded.unseen;
END;
CREATE TRIGGER clarifications_moved AFTER UPDATE OF state, seen_at ON clarifications
    WHEN OLD.state = 'pending' AND (NEW.state <> 'pending' OR OLD.seen_at <> NEW.seen_at) OR OLD.state <> 'pending' AND NEW.state = 'pending' BEGIN
    INSERT INTO pending_counts (app, pending, unseen) VALUES (NEW.app, (NEW.state = 'pending') - (OLD.state = 'pending'),
            (NEW.state = 'pending' AND NEW.seen_at = 0 AND NEW.kind <> 'input') - (OLD.state = 'pending' AND OLD.seen_at = 0 AND OLD.kind <> 'input'))
        ON CONFLICT (app) DO UPDATE SET pending = pending + excluded.pending, unseen = unseen + excluded.unseen;
    DELETE FROM pending_counts WHERE app = NEW.app AND pending = 0;
END;
CREATE TRIGGER clarifications_went AFTER DELETE ON clarifications WHEN OLD.state = 'pending' BEGIN
    UPDATE pending_counts SET pending = pending - 1, unseen = unseen - (OLD.seen_at = 0 AND OLD.kind <> 'input') WHERE app = OLD.app;
    DELETE FROM pending_counts WHERE app = OLD.app AND pending = 0;
END;
