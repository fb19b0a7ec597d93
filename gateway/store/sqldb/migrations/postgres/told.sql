-- The number of a run's end among the news, which has no row of its own: 0 while the run goes on, and where a
-- row tells of its end.
ALTER TABLE runs ADD COLUMN told bigint NOT NULL DEFAULT 0;
CREATE INDEX runs_told ON runs (told) WHERE told > 0;
