-- How many questions wait, by their app, and how many of them no screen has shown (inputs, which none shows, do not
-- count), so that a scrape of metrics counts no rows: the sums of an app's rows. Rows are only added, so that no two
-- transactions wait for each other, and one in 64 puts those of its app together.
-- Triggers keep it, in the transaction that changes the rows: what the foreign keys delete counts, too.
CREATE TABLE pending_counts (
    app     bytea  NOT NULL,
    pending bigint NOT NULL,
    unseen  bigint NOT NULL
);
CREATE INDEX pending_counts_app ON pending_counts (app);
INSERT INTO pending_counts (app, pending, unseen)
    SELECT app, count(*), count(*) FILTER (WHERE seen_at = 0 AND kind <> 'input') FROM clarifications WHERE state = 'pending' GROUP BY app;
CREATE FUNCTION pending_joined() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH parts AS (SELECT ctid FROM pending_counts WHERE app = NEW.app LIMIT 1000 FOR UPDATE SKIP LOCKED),
        gone AS (DELETE FROM pending_counts WHERE ctid = ANY (ARRAY(SELECT ctid FROM parts)) RETURNING pending, unseen)
        INSERT INTO pending_counts (app, pending, unseen) SELECT NEW.app, sum(pending), sum(unseen) FROM gone
            HAVING sum(pending) <> 0 OR sum(unseen) <> 0;
    RETURN NULL;
END $$;
CREATE TRIGGER pending_joined AFTER INSERT ON pending_counts FOR EACH ROW WHEN (pg_trigger_depth() < 2 AND random() < 1.0 / 64) EXECUTE FUNCTION pending_joined();
CREATE FUNCTION clarifications_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE p bigint := 0; u bigint := 0; of_app bytea;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        of_app := OLD.app;
        IF OLD.state = 'pending' THEN
            p := p - 1;
            u := u - (OLD.seen_at = 0 AND OLD.kind <> 'input')::int;
        END IF;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        of_app := NEW.app;
        IF NEW.state = 'pending' THEN
            p := p + 1;
            u := u + (NEW.seen_at = 0 AND NEW.kind <> 'input')::int;
        END IF;
    END IF;
    IF p <> 0 OR u <> 0 THEN
        INSERT INTO pending_counts (app, pending, unseen) VALUES (of_app, p, u);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER clarifications_counted AFTER INSERT OR DELETE OR UPDATE OF state, seen_at ON clarifications FOR EACH ROW EXECUTE FUNCTION clarifications_counted();
