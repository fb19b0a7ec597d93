// Uses the gateway by a client that was generated from its openapi.yaml (api.d.ts).
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Body = components["schemas"]["MessageBody"];
type Clarification = components["schemas"]["Clarification"];

const [url, key] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: url!, headers: { Authorization: `Bearer ${key}`, Accept: "application/json" } });
const path = { app: "plain", chatId: "generated" };

// send posts a message or an answer, and gives the run or dies of the problem.
async function send(body: Body) {
  const { data, error } = await api.POST("/v1/apps/{app}/chats/{chatId}/messages", { params: { path }, body });
  if (error) throw new Error(`${error.code}: ${error.detail}`);
  if (typeof data === "string") throw new Error(`a stream: ${data}`);
  return data;
}

function open(clarification: Clarification | null): Clarification {
  if (!clarification) throw new Error("nothing was asked");
  return clarification;
}

const first = open((await send({ message: "select" })).clarification);
const option = first.questions[0]?.options?.[1];
if (!option) throw new Error("no options");
const { data: pending } = await api.GET("/v1/clarifications", { params: { query: { status: "pending" } } });
const { error: refused } = await api.POST("/v1/apps/{app}/chats/{chatId}/messages", {
  params: { path }, body: { answer: { clarificationId: first.clarificationId, value: "nothing of these" } },
});
const second = await send({ answer: { clarificationId: first.clarificationId, value: option.value, note: "please" } });
const form = open((await send({ message: "form", interactive: true, locale: "en" })).clarification);
const third = await send({ answer: { clarificationId: form.clarificationId, answers: form.questions.map(() => ({ declined: true })) } });

// Arguments are open: a person's edits go back as an object or as its text.
const edited: Body = { answer: { value: true, arguments: { city: "Paris", days: { from: 1, of: [1, 2] } } } };
const typed: Body = { answer: { value: true, arguments: '{"n": 1e400}' } };
const city: unknown = first.arguments?.["city"];
// @ts-expect-error an answer is an object
const wrong: Body = { answer: "fr" };

console.log(JSON.stringify({
  asked: first.question, pending: pending?.items.length, refused: refused?.code, status: second.status, text: second.text, parts: form.questions.length,
  third: third.status, compiled: [edited, typed, city, wrong].length,
}));
