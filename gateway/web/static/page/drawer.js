// The list of chats is next to the chat, where it can be hidden. On narrow screens it is in a drawer.
import { choose } from "./choices.js";

export const wide = matchMedia("(min-width: 60rem)"); // there is room for the list next to the chat

export function showSide(shown) {
  choose("side", shown ? "" : "off");
  document.documentElement.toggleAttribute("data-sideless", !shown);
}

export function closeSide() {
  const side = document.querySelector("#side");
  if (side?.matches(":popover-open")) side.hidePopover();
}
