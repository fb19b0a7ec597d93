import { useEffect, useReducer, useState } from "react";
import { createRoot } from "react-dom/client";
import { ChatContainer, MainContainer, Message, MessageInput, MessageList, TypingIndicator } from "@chatscope/chat-ui-kit-react";
import "@chatscope/chat-ui-kit-styles/dist/default/styles.min.css";
import { Client, initialState, newId, reduce } from "askgate/react";

const chat = location.hash.slice(1) || newId();
location.hash = chat; // a reload comes back to this chat
const headers = async () => ({ Authorization: `Bearer ${await (await fetch("/key")).text()}` });
const client = new Client({ base: "http://127.0.0.1:8080", app: "assistant", headers, chat });

function Chat() {
  const [{ items, status }, happened] = useReducer(reduce, initialState);
  const [draft, write] = useState("");
  useEffect(() => client.follow(happened), []);
  const send = (_html, _flat, text) => client.sendMessage(text).then(() => write(""), (problem) => alert(problem.message));
  return (
    <MainContainer>
      <ChatContainer>
        <MessageList typingIndicator={status === "running" && <TypingIndicator />}>{items.map(draw)}</MessageList>
        <MessageInput value={draft} onChange={write} onSend={send} attachButton={false} placeholder="Message" />
      </ChatContainer>
    </MainContainer>
  );
}

// Marks what models and people write as text; the kit would otherwise treat it as HTML.
function draw({ type, key, ...item }) {
  if (type === "clarification") return <Question key={key} {...item} />;
  const text = { user: item.content, assistant: item.content, error: item.message }[type];
  return text && <Message key={key} model={{ type: "text", message: text, direction: type === "user" ? "outgoing" : "incoming", position: "single" }} />;
}

function Question({ clarification, state, answer, answeredAt }) {
  const [refused, refuse] = useState(null);
  return (
    <Message model={{ type: "custom", direction: "incoming", position: "single" }}>
      <Message.CustomContent>
        <askgate-clarification clarification={clarification} state={state} answer={answer} answeredAt={answeredAt} error={refused}
          onaskgate-answer={({ detail }) => client.answer(detail).catch(refuse)}
          onaskgate-seen={({ detail }) => client.seen(detail.clarificationId).catch(() => {})} />
      </Message.CustomContent>
    </Message>
  );
}

createRoot(document.getElementById("root")).render(<Chat />);
