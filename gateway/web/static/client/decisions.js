// withDecisions returns a clarification with the decisions about it so far. They come by several ways: those
// that a clarification already has are never taken away.
export function withDecisions(clarification, { decisions }) {
  return (decisions?.length ?? 0) > (clarification.decisions?.length ?? 0) ? { ...clarification, decisions } : clarification;
}
