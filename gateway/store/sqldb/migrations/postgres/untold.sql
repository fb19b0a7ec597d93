-- What a channel has not told a person yet, in order: it holds up what comes after it in the chat.
CREATE INDEX notices_untold ON notices (conversation_id, channel, person, seq) WHERE stage = 0 AND failed = FALSE;
