-- What the report on questions counts by, beside the JSON: a million rows are counted out of
-- one index. Rows of builds that do not know these columns have no shape, or no took where
-- somebody answered; the report describes them.

-- +goose Up
ALTER TABLE clarifications ADD COLUMN template bytea NOT NULL DEFAULT ''; -- of the parts, '' for none
ALTER TABLE clarifications ADD COLUMN model bytea NOT NULL DEFAULT ''; -- name in the configuration, '' for a program's
ALTER TABLE clarifications ADD COLUMN shape bytea; -- of what no template asks, '' where one does
ALTER TABLE clarifications ADD COLUMN took bigint; -- ms until a person answered, skipped or declined
ALTER TABLE clarifications ADD COLUMN marks bigint NOT NULL DEFAULT 0; -- bits, see describe.go
ALTER TABLE clarifications ADD COLUMN choice bigint; -- a hash of what was answered
CREATE INDEX clarifications_report ON clarifications (app, template, shape, model, state, marks, took, asked_at, seen_at)
    WHERE kind = 'question' AND shape IS NOT NULL;
CREATE INDEX clarifications_choices ON clarifications (tenant, subject, app, template, shape, answered_at, choice) WHERE choice IS NOT NULL;
CREATE INDEX clarifications_undescribed ON clarifications (answered_at, id)
    WHERE kind = 'question' AND (shape IS NULL OR took IS NULL AND state IN ('answered', 'skipped', 'declined'));

-- +goose Down
DROP INDEX clarifications_undescribed;
DROP INDEX clarifications_choices;
DROP INDEX clarifications_report;
ALTER TABLE clarifications DROP COLUMN choice;
ALTER TABLE clarifications DROP COLUMN marks;
ALTER TABLE clarifications DROP COLUMN took;
ALTER TABLE clarifications DROP COLUMN shape;
ALTER TABLE clarifications DROP COLUMN model;
ALTER TABLE clarifications DROP COLUMN template;
