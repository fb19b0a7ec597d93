// Scrolling: the page follows new content until the user scrolls away from it.
const nearEnd = 80; // px: the page follows new content if the end is at most this far away
const headRoom = 72; // px, for the bar at the top

// scrolling maintains state.pinned and, while it is set, keeps the window at the end. Call observe after
// each draw.
export function scrolling(state, change) {
  const grown = new ResizeObserver(stick);
  let observed = null;
  let reading = ""; // id of the question that the page last scrolled to
  let stuck = -1; // where the page itself last scrolled to: the content may have grown before the scroll event arrives

  function stick() {
    if (!state.pinned || state.covered) return;
    const id = document.querySelector("#question")?.clarification?.clarificationId ?? "";
    if (id && id === reading && scrollY > end()) return; // not back to the top of a card that the user reads
    reading = id;
    scrollTo({ top: end() });
    stuck = scrollY;
  }

  addEventListener("scroll", () => {
    if (state.covered) return;
    const pinned = atEnd() || state.pinned && scrollY === stuck;
    if (pinned !== state.pinned) {
      state.pinned = pinned;
      change();
    }
  }, { passive: true });

  return {
    observe() {
      const main = document.querySelector("main");
      if (main === observed) return;
      grown.disconnect();
      observed = main;
      if (main) for (const node of [main, main.nextElementSibling]) if (node) grown.observe(node);
    },
  };
}

// atEnd reports whether all new content is in view.
export const atEnd = () => scrollY >= end() - nearEnd;

// end returns the scroll position that shows the newest content. For a tall card, that is the top of
// the question.
function end() {
  const card = document.querySelector("#question, #questions");
  const bottom = document.documentElement.scrollHeight - innerHeight;
  return card ? Math.min(bottom, card.getBoundingClientRect().top + scrollY - headRoom) : bottom;
}
