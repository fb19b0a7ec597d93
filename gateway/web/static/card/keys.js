// What keys do on an open card: digits pick, arrows move, Enter goes on, Esc leaves a field
// and keeps its text. card is {root, rtl, locked, busy, searched, advance}.
export function onKey(event, card) {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.composedPath()[0];
  const typing = target.matches?.("textarea, input:not(.pick)");
  const picks = [...card.root.querySelectorAll(".pick")];
  const handled = () => { event.preventDefault(); event.stopPropagation(); };
  if (event.key === "Escape" && typing) {
    handled();
    (picks.find((p) => p.checked) ?? picks[0] ?? card.root.querySelector("button.main")).focus();
  } else if (event.key === "Enter" && !event.shiftKey && target.id === "search") {
    handled();
    if (card.busy) return; // the options shown are not those of this search
    if (card.searched) picks[0]?.click();
    picks[0]?.focus();
  } else if (event.key === "Enter" && !event.shiftKey && target.matches?.("textarea:not(.json)")) {
    handled();
    card.advance();
  } else if (event.key === "ArrowDown" && target.id === "search") {
    handled();
    picks[0]?.focus();
  } else if (target.matches?.(".pick[type=checkbox]") && /^Arrow/.test(event.key)) {
    handled();
    const forward = event.key === "ArrowDown" || event.key === (card.rtl ? "ArrowLeft" : "ArrowRight");
    picks.at((picks.indexOf(target) + (forward ? 1 : -1)) % picks.length).focus();
  } else if (!typing && /^[1-9]$/.test(event.key) && picks[event.key - 1] && !card.locked) {
    handled();
    picks[event.key - 1].focus();
    picks[event.key - 1].click();
  }
}
