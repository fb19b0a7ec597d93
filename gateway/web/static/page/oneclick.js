// Whether one click answers a question, and how long that can be undone: a choice of this browser.
import { usual } from "../card/instant.js";
import { choose, chosen } from "./choices.js";

// oneClicks are the choices, with the ids of their names. oneClick returns the active one, and
// oneClickCard the card's properties for it.
export const oneClicks = [["", "page.one_click_soon"], ["5000", "page.one_click_later"], ["off", "page.one_click_off"]];

export const oneClick = () => chosen("one-click");

export const oneClickCard = () => ({ instant: oneClick() !== "off", undoTime: Number(oneClick()) || usual });

export function setOneClick(value) {
  choose("one-click", value);
  dispatchEvent(new Event("storage")); // this window draws it like the others
}
