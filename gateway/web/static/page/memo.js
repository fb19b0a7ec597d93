// Draws an item of a chat again only if something that it shows has changed, so that a key or a piece of
// an answer costs the same in a chat of 2,000 messages as in a chat of two.
import { guard } from "../vendor/lit.js";
import { ofProgram } from "./chat.js";

const known = new WeakMap(); // chat -> the values of its last state

// stateOf returns a value that is the same (===) as long as nothing changes that items may show, other
// than the items themselves: the chat's public fields and those of its view, and what getters return that
// is listed here. The draft is not part of it, nor is what older messages change.
export function stateOf(chat) {
  const { view, loading, ...fields } = chat, { items, lastEventId, usage, keys, hasMore, older, oldest, runItems, textItems, ...rest } = view;
  const values = [...Object.values(fields), ...Object.values(rest), ...chat.refused.values(), ...chat.queued.busy, ...chat.queued.problems.values(), chat.changing, chat.waitsFor];
  const before = known.get(chat);
  if (before?.length === values.length && values.every((value, i) => value === before[i])) return before;
  known.set(chat, values);
  return values;
}

// drawing returns a function that draws an item with draw, unless neither the item nor the chat's state
// has changed since the item was last drawn. The last item also has the buttons that continue the turn,
// and the turn of the first ones may begin in older messages.
export function drawing(chat, draw) {
  const { items, oldest } = chat.view, state = stateOf(chat), first = items.findIndex((i) => i.type === "user");
  const last = items.findLast((i) => !ofProgram(i.clarification ?? i));
  return (item, at) => guard([item, state, item === last, at < first ? oldest : ""], () => draw(item, chat));
}
