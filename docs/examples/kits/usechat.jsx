import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { newId } from "askgate";
import { Question } from "./question.jsx";
import { stored } from "./stored.js";

const gateway = { base: "http://127.0.0.1:8080", app: "assistant", headers: async () => ({ Authorization: `Bearer ${await (await fetch("/key")).text()}` }) };
const chat = location.hash.slice(1) || newId();
location.hash = chat; // a reload comes back to this chat

const transport = new DefaultChatTransport({
  api: `${gateway.base}/v1/apps/${gateway.app}/ai-sdk`,
  headers: gateway.headers,
  // The gateway stores the chat: it reads only the last message, and which question that answers.
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({ body: { ...body, id, messages: messages.slice(-2), trigger, messageId } }),
});

// useChat has one message for a turn, the gateway one for each step of it.
async function history() {
  const messages = [];
  for (const { id, role, text, calls } of await stored({ ...gateway, chat })) {
    const parts = [
      ...(text ? [{ type: "text", text }] : []),
      ...calls.map(({ id, name, input, output }) => ({ type: `tool-${name}`, toolCallId: id, state: output === undefined ? "input-available" : "output-available", input, output })),
    ];
    if (role === "assistant" && messages.at(-1)?.role === "assistant") messages.at(-1).parts.push({ type: "step-start" }, ...parts);
    else messages.push({ id, role, parts });
  }
  return messages;
}

function Chat({ initial }) {
  const { messages, error, sendMessage, addToolOutput } = useChat({
    id: chat, messages: initial, transport, resume: true, // resumes a run that is still going on
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  });
  const send = (event) => {
    event.preventDefault();
    sendMessage({ text: new FormData(event.currentTarget).get("message") });
    event.currentTarget.reset();
  };
  const draw = (part, i, message) => {
    const newest = message === messages.at(-1), refused = newest && part === message.parts.at(-1) ? error : undefined;
    if (part.type === "text") return <p key={i}>{part.text}</p>;
    if (part.type !== "tool-ask_user") return null;
    return <Question key={part.toolCallId} id={part.toolCallId} input={part.input} output={part.output} open={newest} error={refused}
      answer={(output) => addToolOutput({ tool: "ask_user", toolCallId: part.toolCallId, output })} />;
  };
  return (
    <>
      <main id="log">{messages.map((message) => <article key={message.id}>{message.parts.map((part, i) => draw(part, i, message))}</article>)}</main>
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={send}><input name="message" aria-label="Message" /> <button>Send</button></form>
    </>
  );
}

function Page() {
  const [initial, setInitial] = useState(null);
  useEffect(() => { history().then(setInitial); }, []);
  return initial && <Chat initial={initial} />;
}

createRoot(document.getElementById("root")).render(<Page />);
