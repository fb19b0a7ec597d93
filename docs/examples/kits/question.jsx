// A call of ask_user, drawn as AskGate's card. answer gets the result of the call when the person
// has answered.
import { useRef } from "react";
import "askgate/react";

export function Question({ id, input, output, open = true, error, answer }) {
  const asked = useRef(null); // keep the object: the card starts over with a new one
  if (!input?.questions) return null; // the call is still being written
  asked.current ??= { kind: "question", clarificationId: id, toolCallId: id, ...input };
  const state = output ? ["skipped", "declined", "expired", "cancelled", "superseded"].find((s) => output[s]) ?? "answered" : open ? "pending" : "superseded";
  return (
    <askgate-clarification clarification={asked.current} state={error ? "pending" : state} answer={output ?? null}
      error={error ? { detail: error.message } : null} onaskgate-answer={({ detail }) => answer(detail)} />
  );
}
