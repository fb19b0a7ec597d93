// The options of a question, with those that its type has by itself.

// optionsOf returns them: yes and no if a confirmation has none, the numbers of a scale.
export function optionsOf(part, kind, text) {
  if (part.input_type === "scale") return Array.from({ length: part.validation?.max ?? 5 }, (_, i) => ({ label: String(i + 1), value: String(i + 1) }));
  if (part.options?.length || part.input_type !== "confirm") return part.options ?? [];
  const [yes, no] = kind === "approval" ? ["card.allow", "card.refuse"] : ["card.yes", "card.no"];
  return [{ label: text(yes), value: "yes" }, { label: text(no), value: "no" }];
}
