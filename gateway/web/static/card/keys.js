// Keys on an open card: digits choose, arrows move, Enter continues, Esc leaves a field and keeps its
// text. If one click answers, arrows only move, and Enter answers. If a call waits for a decision, digits
// only focus the buttons.
// A digit that is held counts once.
// card is {root, rtl, locked, busy, searched, advance, instant, enter, decides}.
export function onKey(event, card) {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.composedPath()[0];
  const typing = target.matches?.("textarea, input:not(.pick)");
  const picks = [...card.root.querySelectorAll(card.decides ? ".decide" : ".pick")];
  const handled = () => { event.preventDefault(); event.stopPropagation(); };
  if (event.key === "Escape" && typing) {
    handled();
    (card.decides ? card.root.querySelector("#title") : picks.find((p) => p.checked) ?? picks[0] ?? card.root.querySelector("button.main")).focus();
  } else if (event.key === "Enter" && !event.shiftKey && target.id === "search") {
    handled();
    if (card.busy) return; // the options shown are from another search
    if (card.searched && !card.instant) picks[0]?.click();
    picks[0]?.focus();
  } else if (event.key === "Enter" && !event.shiftKey && target.matches?.("textarea:not(.json)") && !card.decides) {
    handled();
    card.advance();
  } else if (event.key === "ArrowDown" && target.id === "search") {
    handled();
    picks[0]?.focus();
  } else if (event.key === "Enter" && card.instant && target.matches?.(".pick")) {
    handled();
    if (!event.repeat) card.enter(target);
  } else if (target.matches?.(card.instant ? ".pick" : ".pick[type=checkbox]") && /^Arrow/.test(event.key)) {
    handled();
    const forward = event.key === "ArrowDown" || event.key === (card.rtl ? "ArrowLeft" : "ArrowRight");
    picks.at((picks.indexOf(target) + (forward ? 1 : -1)) % picks.length).focus();
  } else if (!typing && /^[0-9]$/.test(event.key) && picks[numbered(event.key, card)] && !card.locked) {
    handled();
    const pick = picks[numbered(event.key, card)], own = pick.closest(".own");
    if (event.repeat) return;
    pick.focus();
    if (own && pick.checked) own.querySelector("textarea").focus();
    else if (!card.decides) pick.click();
  }
}

// numbered returns the index of the option of a digit. 0 is the 10 of a scale.
const numbered = (digit, { root }) => (digit === "0" && root.querySelector(".scale") ? 9 : digit - 1);

// firstIn returns the first control of a card. decides: it has buttons to allow and deny.
export function firstIn(root, decides) {
  const find = (s) => root.querySelector(s);
  if (decides) return find("#title");
  return find("#focus") ?? find("#input, #search, #rank-0") ?? find(".pick:checked") ?? find(".pick") ?? find("button.main");
}

// textField returns the field of a card in which typed text belongs, null if it has none. In a form, it is
// that of the question in view.
export function textField({ shadowRoot: root }) {
  const card = [...root.querySelectorAll("askgate-clarification")].find((c) => !c.hidden);
  if (card) return textField(card);
  const fields = [".own.chosen #other", "#input:not([type=date], [type=datetime-local])", "#search", "#other", "#note"];
  return fields.map((selector) => root.querySelector(selector)).find((field) => field && !field.readOnly) ?? null;
}
