// A call of ask_user, drawn as AskGate's card. answer gets what the call comes to, once the person
// has answered.
import { useRef } from "react";
import "askgate/react";

export function Question({ id, input, output, open = true, error, answer }) {
  const asked = useRef(null); // the same object each time: a card begins anew with another
  if (!input?.questions) return null; // the call is still being written
  asked.current ??= { kind: "question", clarificationId: id, toolCallId: id, ...input };
  const state = output ? ["skipped", "declined", "expired", "cancelled", "superseded"].find((s) => output[s]) ?? "answered" : open ? "pending" : "superseded";
  return (
    <askgate-clarification clarification={asked.current} state={error ? "pending" : state} answer={output ?? null}
      error={error ? { detail: error.message } : null} onaskgate-answer={({ detail }) => answer(detail)} />
  );
}
