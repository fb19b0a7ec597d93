// The oracle: V8 itself judges patterns. It reads lines {pattern, max, attacks: [[prefix, pump, suffix], ...]} and
// answers each with {ms, length, class, attack}: the longest time for a text of at most max code points, and how the time
// grew. It varies the worst texts, so the attacks need only be similar to the worst ones. Every run has a time limit.
// Times are processor times, so the results are the same on a busy machine.
import vm from "node:vm";
import readline from "node:readline";

let limit; // milliseconds of one run
let ended; // a run reached the limit, so the pattern is slow
const context = vm.createContext({ re: null, s: "" });
const script = new vm.Script("re.test(s)");
const batch = new vm.Script("for (; at < texts.length; at++) { const b = cpu(); re.test(texts[at]); times[at] = cpu() - b; }");
const cpu = () => process.cpuUsage().user / 1000;

// V8 stops a run by wall-clock time. A run that waited for a busy machine is repeated with a longer limit.
function run(re, s, most = limit) {
  context.re = re;
  context.s = s;
  for (let patience = most; ; patience *= 3) {
    const begin = cpu();
    try {
      script.runInContext(context, { timeout: patience });
    } catch {
      if (cpu() - begin < most && patience < 9 * most) continue;
      ended ||= most === limit;
    }
    return cpu() - begin;
  }
}

// text repeats the pump of an attack, up to n code points.
function text([prefix, pump, suffix], n) {
  const each = [...pump].length;
  const fixed = [...prefix].length + [...suffix].length;
  return prefix + pump.repeat(Math.max(0, Math.floor((n - fixed) / each))) + suffix;
}

// vary changes an attack at one place, deterministically by i.
const endings = ["!", "/", "\n", "\"", ",", "@", "a", "0", " ", "-", "\n!", "//", "\u{10400}"];
function vary([prefix, pump, suffix], i) {
  const last = [...pump].at(-1);
  switch (i % 7) {
    case 0: return [prefix, pump, suffix + endings[Math.floor(i / 7) % endings.length]];
    case 1: return [prefix, pump, endings[Math.floor(i / 7) % endings.length]];
    case 2: return [prefix, last, suffix];
    case 3: return [prefix, pump.replace(/\p{L}/gu, "\u{10400}"), suffix];
    case 4: return [pump, pump, suffix];
    case 5: return ["", pump, suffix];
    default: return [prefix, pump + pump[0], suffix];
  }
}

function judge({ pattern, max = 4000, attacks, most = 400 }) {
  limit = most;
  ended = false;
  let re;
  for (const flags of ["u", ""]) {
    try { re = new RegExp(`^(?:${pattern})$`, flags); break; } catch { /* not with these flags */ }
  }
  if (!re) return { class: "invalid" };
  run(re, "a"); run(re, "aa"); // compiled to machine code from here on
  let spent = 0, worst = { ms: 0, length: 0 };
  const seen = new Set();
  const measure = (a, n) => {
    if (!a[1]) return 0;
    const s = text(a, n);
    if (s.length > 2 * n + 8) return 0;
    const ms = run(re, s);
    spent += ms;
    if (ms > worst.ms) worst = { ms, length: [...s].length, attack: a };
    return ms;
  };
  const small = Math.min(max, 400);
  let best = [];
  // all that are new go through one guarded call: the guard costs more than most runs
  const attempt = (list) => {
    const fresh = list.filter((a) => {
      const key = JSON.stringify(a);
      return a[1] && !seen.has(key) && seen.add(key);
    });
    let at = 0;
    const texts = fresh.map((a) => text(a, small)), times = texts.map(() => 0);
    while (at < texts.length && !ended) {
      Object.assign(context, { re, texts, times, at, cpu });
      try { batch.runInContext(context, { timeout: limit }); } catch { times[context.at] = run(re, texts[context.at]); } // alone it may finish
      at = context.at + 1;
      times.forEach((ms, i) => {
        if (ms > worst.ms) worst = { ms, length: [...texts[i]].length, attack: fresh[i] };
      });
    }
    fresh.forEach((a, i) => best.push({ a, ms: times[i] }));
  };
  attempt(attacks.flatMap((a) => [a, ...endings.slice(0, 6).map((e) => [a[0], a[1], e])]));
  for (let round = 0; round < 2 && !ended; round++) {
    best.sort((x, y) => y.ms - x.ms);
    best = best.slice(0, 4);
    attempt(best.flatMap(({ a }) => Array.from({ length: 21 }, (_, i) => vary(a, 21 * round + i))));
  }
  best.sort((x, y) => y.ms - x.ms);
  for (const { a } of best.slice(0, 4)) if (!ended && spent < 4000) measure(a, max);
  const out = { ...worst, ms: Math.round(worst.ms) };
  if (!ended && worst.ms < 400) return { ...out, class: worst.ms < 80 ? "safe" : "grey" };
  // a length that takes little time, and the time of a text 1.5 times as long
  let n = worst.length;
  const a = worst.attack;
  while (n > 12 && run(re, text(a, n), 20) >= 10) n = Math.floor(n * 0.7);
  const few = Math.max(0.05, run(re, text(a, n)));
  const ratio = run(re, text(a, Math.ceil(n * 1.5)), 200) / few;
  return { ...out, class: ratio > 1.5 ** 6 ? "exponential" : "polynomial", short: n };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  let out;
  try { out = judge(JSON.parse(line)); } catch (e) { out = { class: "error", message: String(e) }; }
  process.stdout.write(JSON.stringify(out) + "\n");
}
