// A chat in React 19, with the package askgate. The gateway lists this page's origin under
// cors.origins. Your own server knows who is signed in, and hands out that person's key.
import { type FormEvent, useEffect, useReducer, useState } from "react";
import { createRoot } from "react-dom/client";
import { type Answer, Client, initialState, type Item, type Problem, reduce } from "askgate/react";

const headers = async () => ({ Authorization: `Bearer ${await (await fetch("/key")).text()}` });
const client = new Client({ base: "http://127.0.0.1:8080", app: "assistant", headers });

function Chat() {
  const [chat, happened] = useReducer(reduce, initialState);
  useEffect(() => client.follow(happened), []);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const message = String(new FormData(form).get("message"));
    client.sendMessage(message).then(() => form.reset(), (problem: Problem) => alert(problem.message));
  };
  return (
    <>
      <main id="log">{chat.items.map((item) => <Line key={item.key} item={item} />)}</main>
      <form onSubmit={send}><input name="message" aria-label="Message" /> <button>Send</button></form>
    </>
  );
}

function Line({ item }: { item: Item }) {
  const [refused, refuse] = useState<Problem | null>(null);
  if (item.type === "clarification") {
    const answer = ({ detail }: CustomEvent<Answer>) => { client.answer(detail).catch(refuse); };
    const seen = ({ detail }: CustomEvent<{ clarificationId: string }>) => { client.seen(detail.clarificationId).catch(() => {}); }; // else it counts as undelivered
    return (
      <askgate-clarification clarification={item.clarification} state={item.state} answer={item.answer}
        answeredAt={item.answeredAt} error={refused} onaskgate-answer={answer} onaskgate-seen={seen} />
    );
  }
  const text = item.type === "tool" ? item.toolName : "message" in item ? item.message : "content" in item ? item.content : "code" in item ? item.code : item.event;
  return <p>{item.type}: {text}</p>;
}

createRoot(document.getElementById("root")!).render(<Chat />);
