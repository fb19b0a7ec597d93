import { createRoot } from "react-dom/client";
import { AiChat } from "@nlux/react";
import "@nlux/themes/nova.css";
import DOMPurify from "dompurify";
import { Client, newId } from "askgate";

const chat = location.hash.slice(1) || newId();
location.hash = chat; // a reload comes back to this chat
const base = "http://127.0.0.1:8080", app = "assistant";
const headers = async () => ({ Authorization: `Bearer ${await (await fetch("/key")).text()}` });

// The gateway stores the history: X-Chat-Id names the chat. It asks in plain text, and the next message answers.
async function batchText(content) {
  const response = await fetch(`${base}/v1/chat/completions`, {
    method: "POST",
    headers: { ...await headers(), "Content-Type": "application/json", "X-Chat-Id": chat },
    body: JSON.stringify({ model: app, messages: [{ role: "user", content }] }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error.message);
  return body.choices[0].message.content;
}

// The stored chat, once nothing runs any more.
const stored = () => new Promise((resolve) => {
  const client = new Client({ base, app, headers, chat });
  const leave = client.follow(({ type, data }) => {
    if (type !== "done" && (type !== "snapshot" || data.status === "running")) return;
    leave();
    resolve(type === "snapshot" ? data : client.snapshot());
  });
});

const history = ({ messages }) => messages.flatMap(({ role, content, toolCalls = [] }) => [
  ...(content ? [{ role, message: content }] : []),
  ...toolCalls.filter((call) => call.clarification).flatMap(({ clarification, result }) => [
    { role: "assistant", message: words(clarification) },
    ...(result ? [{ role: "user", message: result }] : []),
  ]),
]);

const words = ({ questions }) => questions.map(({ question, options = [] }) =>
  [question, ...options.map(({ label }, i) => `${i + 1}. ${label}`)].join("\n\n")).join("\n\n");

const adapter = { batchText };
const options = { htmlSanitizer: (html) => DOMPurify.sanitize(html) }; // without it, HTML from a model runs in the page
const initial = history(await stored());
createRoot(document.getElementById("root")).render(<AiChat adapter={adapter} initialConversation={initial} messageOptions={options} />);
