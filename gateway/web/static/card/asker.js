// The name of the asker, as people know it; "" for the assistant. A program chooses its own title,
// so the name of its key follows the title.
export function nameOf(askedBy) {
  if (typeof askedBy === "string") return askedBy;
  const { kind, name, title, version } = askedBy ?? {};
  if (kind === "server") return title || name;
  if (kind !== "program") return "";
  const exact = version ? `${name} ${version}` : name;
  return title && title !== name ? `${title} (${exact})` : exact;
}
