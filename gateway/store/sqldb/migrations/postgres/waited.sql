-- When the asker of a program's question was last seen to wait for it, 0 for never, and after how many ms
-- without anybody who waits it is withdrawn, 0 for never.
ALTER TABLE clarifications ADD COLUMN waited_at bigint NOT NULL DEFAULT 0;
ALTER TABLE clarifications ADD COLUMN withdraw_after bigint NOT NULL DEFAULT 0;
CREATE INDEX clarifications_gone ON clarifications
    (((CASE WHEN waited_at > asked_at THEN waited_at ELSE asked_at END) + withdraw_after), id)
    WHERE state = 'pending' AND withdraw_after > 0;
