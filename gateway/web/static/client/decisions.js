// withAsker returns a clarification that says whether its asker waits.
export const withAsker = (clarification, { askerWaiting }) => (clarification.askerWaiting === askerWaiting ? clarification : { ...clarification, askerWaiting });

// withDecisions returns a clarification with the decisions about it so far. They come by several ways: those
// that a clarification already has are never taken away.
export function withDecisions(clarification, { decisions }) {
  return (decisions?.length ?? 0) > (clarification.decisions?.length ?? 0) ? { ...clarification, decisions } : clarification;
}
