// withAsker returns a clarification that says whether its asker waits.
export const withAsker = (clarification, { askerWaiting }) => (clarification.askerWaiting === askerWaiting ? clarification : { ...clarification, askerWaiting });

// amended returns a clarification with the decisions about it so far, and the roles that are asked later. They
// come by several ways: those that a clarification already has are never taken away.
export const amended = (clarification, news) => ["decisions", "alsoAsks"].reduce((now, list) => (
  (news[list]?.length ?? 0) > (now[list]?.length ?? 0) ? { ...now, [list]: news[list] } : now), clarification);
