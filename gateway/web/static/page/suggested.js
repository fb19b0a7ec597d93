// The option that the address of an answer link names, as the links in a message do. It is chosen as a
// default is: it counts once the person sends it.
import { optionsOf } from "../card/options.js";

const words = { true: "yes", false: "no" };

// suggested returns a clarification with the option chosen that a query names, and the option; of anything
// else, the clarification as it is.
export function suggested(clarification, query, text) {
  const value = new URLSearchParams(query).get("value"), [part, ...others] = clarification?.questions ?? [];
  if (value === null || !part || others.length || !["select", "confirm"].includes(part.input_type)) return { clarification };
  const options = optionsOf(part, clarification.kind, text);
  const option = options.find((o) => o.value === value) ?? options.find((o) => part.input_type === "confirm" && o.value === words[value]);
  if (!option) return { clarification };
  const chosen = { ...part, default: option.value };
  return { clarification: { ...clarification, ...chosen, questions: [chosen] }, option };
}
