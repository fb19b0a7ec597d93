// useChat of the AI SDK in React 19, with AskGate behind it, and its card for the model's
// questions. The gateway lists this page's origin under cors.origins. Your own server knows who is
// signed in, and returns that person's key.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { createRoot } from "react-dom/client";
import "askgate/react";

const transport = new DefaultChatTransport({
  api: "http://127.0.0.1:8080/v1/apps/assistant/ai-sdk",
  headers: async () => ({ Authorization: `Bearer ${await (await fetch("/key")).text()}` }),
  // The gateway stores the chat: it reads only the last message, and which question that answers.
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({ body: { ...body, id, messages: messages.slice(-2), trigger, messageId } }),
});

function Chat() {
  const { messages, error, sendMessage, addToolOutput } = useChat({ transport, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls });
  const send = (event) => {
    event.preventDefault();
    sendMessage({ text: new FormData(event.currentTarget).get("message") });
    event.currentTarget.reset();
  };
  const draw = (part, i, newest, last) => {
    if (part.type === "text") return <p key={i}>{part.text}</p>;
    if (part.type === "tool-ask_user" && part.input) {
      return <Question key={part.toolCallId} part={part} newest={newest} last={last} error={last ? error : undefined}
        answer={(output) => addToolOutput({ tool: "ask_user", toolCallId: part.toolCallId, output })} />;
    }
    return null;
  };
  return (
    <>
      <main id="log">{messages.map((message) => message.parts.map((part, i) =>
        draw(part, `${message.id} ${i}`, message === messages.at(-1), part === message.parts.at(-1))))}</main>
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={send}><input name="message" aria-label="Message" /> <button>Send</button></form>
    </>
  );
}

// A question that was answered by a message, or abandoned, stays unchanged in its older message. An
// answer becomes the part's output at once; it was accepted if more follows, and not if an error does.
function Question({ part, newest, last, error, answer }) {
  const id = part.toolCallId, given = part.state === "output-available" && !error;
  const state = given ? (last ? "sending" : "answered") : newest ? "pending" : "superseded";
  return (
    <askgate-clarification clarification={clarification(id, part.input)} state={state} answer={given ? part.output : null}
      error={error ? { detail: error.message } : null} onaskgate-answer={({ detail }) => answer(detail)} />
  );
}

const asked = new Map(); // keep the object: the card starts over with a new one
function clarification(id, { questions }) {
  if (!asked.has(id)) asked.set(id, { kind: "question", clarificationId: id, toolCallId: id, questions });
  return asked.get(id);
}

createRoot(document.getElementById("root")).render(<Chat />);
