// A chat that draws everything itself, with the hooks of askgate/react. At #whole: the ready-made one.
import { type FormEvent } from "react";
import { createRoot } from "react-dom/client";
import { type Answer, AskGateChat, type Clarification, useAskGate, useQuestion } from "askgate/react";
import { gateway } from "../gateway";

function Chat() {
  const { state, send, answer } = useAskGate(gateway);
  const say = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    send(String(new FormData(form).get("message"))).then(() => form.reset(), (problem) => alert(problem.message));
  };
  return (
    <>
      <main id="log">{state.items.map((item) => "content" in item && <p key={item.key}>{item.type}: {String(item.content)}</p>)}</main>
      {state.pending.map((c) => <Question key={c.clarificationId} clarification={c} answer={answer} />)}
      <form onSubmit={say}><input name="message" aria-label="Message" /> <button>Send</button></form>
    </>
  );
}

function Question({ clarification, answer }: { clarification: Clarification; answer: (detail: Answer) => Promise<void> }) {
  const { fields, choose, write, submit, refuse } = useQuestion(clarification);
  const go = async () => {
    const detail = await submit();
    if (detail) await answer(detail).catch(refuse); // the gateway has the last word
  };
  return (
    <section className="question">
      {fields.map((field, i) => field.asked && (
        <fieldset key={i}>
          <legend>{field.question.question}</legend>
          {field.options.map((o) => <button key={o.value} aria-pressed={o.chosen} onClick={() => choose(o.value, { question: i })}>{o.label}</button>)}
          {field.options.length === 0 && <input value={field.text} aria-label="Answer" onChange={(e) => write(e.target.value, { question: i })} />}
          {field.errors.map((e) => <p key={e.code} role="alert">{e.message}</p>)}
        </fieldset>
      ))}
      <button className="answer" onClick={go}>Answer</button>
    </section>
  );
}

createRoot(document.getElementById("app")!).render(location.hash === "#whole" ? <main><AskGateChat {...gateway} /></main> : <Chat />);
