// Finishes a drawn text: typesets its formulas and colors its code. What that needs is loaded with the
// first formula, and with the first code in a known language.
import { missing } from "./missing.js";

const held = 8; // ms that this may block the page at a time
const known = /^(?:bash|sh|shell|zsh|c|h|cpp|c\+\+|cc|hpp|cs|csharp|c#|css|diff|patch|go|golang|html|xml|svg|java|js|javascript|jsx|mjs|cjs|json|jsonc|kotlin|kt|php|py|python|rb|ruby|rs|rust|sql|ts|tsx|typescript|yaml|yml)$/i;

// later runs then in a separate task, after pending input was handled.
export const later = (then) => (globalThis.scheduler?.yield ? scheduler.yield().then(then) : setTimeout(then));

// once returns a function that calls with(module) when the module is loaded: at once, if it is already. If
// loading fails, the text stays as it is until the next call.
function once(load) {
  let loaded = null, loading = null;
  return (use) => {
    if (loaded) return use(loaded);
    loading ??= load().then((module) => loaded = module, () => {
      loading = null;
      missing(import.meta.url);
    });
    loading.then((module) => module && use(module));
  };
}

const withMaths = once(async () => {
  const module = await import("./typeset.js");
  await module.styled();
  return module;
});
const withColors = once(() => import("./colors.js"));

// finish finishes what is drawn in a node. It may be called again after more was drawn.
export function finish(node) {
  const formulas = [...node.querySelectorAll("code.maths")];
  if (formulas.length) withMaths(({ typeset }) => inTurn(formulas, typeset));
  const codes = [...node.querySelectorAll(".code code")].filter((code) => known.test(code.dataset.language));
  if (codes.length) withColors(({ color }) => inTurn(codes, color));
}

// inTurn calls each for all nodes, in several tasks if it takes long.
function inTurn(nodes, each) {
  const from = performance.now();
  while (nodes.length && performance.now() - from < held) each(nodes.shift());
  if (nodes.length) later(() => inTurn(nodes, each));
}
