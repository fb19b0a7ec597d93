// The scroll position: it follows new content, unless the user has scrolled away from it.
const nearEnd = 80; // px: a reader this close to the end wants to see what comes
const headRoom = 72; // px, for the bar at the top

// scrolling keeps state.pinned, and the window at the end while it is set. Its observe is called
// whenever the page was drawn.
export function scrolling(state, change) {
  const grown = new ResizeObserver(stick);
  let observed = null;
  let stuck = -1; // where the page itself has scrolled to: more may have come before it hears of that

  function stick() {
    if (!state.pinned) return;
    scrollTo({ top: end() });
    stuck = scrollY;
  }

  addEventListener("scroll", () => {
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

// atEnd says that nothing new is out of view.
export const atEnd = () => scrollY >= end() - nearEnd;

// end is the scroll position that shows what is new: of a tall card the question first.
function end() {
  const card = document.querySelector("#question, #questions");
  const bottom = document.documentElement.scrollHeight - innerHeight;
  return card ? Math.min(bottom, card.getBoundingClientRect().top + scrollY - headRoom) : bottom;
}
