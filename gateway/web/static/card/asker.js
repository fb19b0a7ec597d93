// Who asks, by the name that people know, where it is not the assistant: "" then. A program
// gives its own title, so the name by which it asked stands beside it.
export function nameOf(askedBy) {
  if (typeof askedBy === "string") return askedBy;
  const { kind, name, title, version } = askedBy ?? {};
  if (kind === "server") return title || name;
  if (kind !== "program") return "";
  const exact = version ? `${name} ${version}` : name;
  return title && title !== name ? `${title} (${exact})` : exact;
}
