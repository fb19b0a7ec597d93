// Leads many chats at once by AskGate's own client, as pages do, until its input ends;
// then says what came of it, as JSON.
import { Client } from "./client/client.js";
import { initialState, reduce } from "./client/reducer.js";

const [base, chats] = process.argv.slice(2);
const told = { sent: 0, refused: [], broken: [] };
const patience = 60_000; // ms; longer than any takeover
let going = true;
process.stdin.on("end", () => { going = false; }).resume();
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const shown = (state) => state.items.map((i) => `${i.type}: ${i.content ?? i.code}`).join("\n");

async function talk(n) {
  const client = new Client({ app: "helper", chat: `own${n}`, base, locale: "en" });
  const follows = n % 5 > 0; // the others read the stream of each message
  let state = initialState, ended = 0;
  const take = (event) => {
    state = reduce(state, event);
    if (event.type === "done") ended++;
    if (event.type === "snapshot") { // in place of events that were lost with a node
      const { status, messages = [] } = event.data, begun = messages.filter((m) => m.role === "user").length;
      ended = Math.max(ended, status === "running" ? begun - 1 : begun);
    }
  };
  const end = follows ? client.follow(take) : () => {};
  for (let taken = 0; going;) {
    await pause(Math.random() * 1500);
    told.sent++;
    const before = state.lastEventId;
    try {
      await client.sendMessage(`message ${n}`, follows ? {} : { onEvent: take });
    } catch (problem) {
      (state.lastEventId === before ? told.refused : told.broken).push(`${problem.status} ${problem.code} ${problem.message}`);
      if (state.lastEventId === before) continue;
      break;
    }
    taken++;
    for (const late = Date.now() + patience; ended < taken && Date.now() < late;) await pause(20);
    if (ended !== taken) {
      told.broken.push(`own${n}: ${ended} of ${taken} runs came to an end:\n${shown(state)}`);
      break;
    }
  }
  const stored = reduce(initialState, { id: "x", type: "snapshot", data: await client.snapshot() });
  if (shown(state) !== shown(stored)) told.broken.push(`own${n} saw\n${shown(state)}\nstored is\n${shown(stored)}`);
  end();
}

await Promise.all(Array.from({ length: Number(chats) }, (_, n) => talk(n)));
console.log(JSON.stringify(told));
process.exit();
