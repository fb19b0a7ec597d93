// What the types must allow, and must refuse.
import { useRef } from "react";
import { Client, Inbox, initialInbox, reduceInbox, type Clarification, type FoundOptions, initialState, Problem, reduce } from "askgate";
import { Client as SameClient } from "askgate/client";
import { AskgateClarification, loadMessages } from "askgate/card";
import type {} from "askgate/react";
// @ts-expect-error the card is not in the headless module
import { AskgateClarification as _ } from "askgate";

declare const clarification: Clarification;

export function Whole({ client }: { client: Client }) {
  const card = useRef<AskgateClarification>(null);
  const search = (query: string, options: { question: number; signal: AbortSignal }): Promise<FoundOptions> =>
    client.searchOptions(clarification.clarificationId, query, options);
  return (
    <askgate-clarification ref={card} className="question" lang="de" clarification={clarification} state="pending" answer={null} answeredAt={null}
      answeredBy="Ada" error={new Problem({ status: 422, code: "invalid_answer" })} locale="de" messages={{ "card.send": "Los" }} searchOptions={search}
      disabled theme="dark" onaskgate-answer={(event) => { void client.answer(event.detail); event.currentTarget; }}
      onaskgate-draft={({ detail }) => { void client.saveDraft(detail.clarificationId, detail.draft); }}
      onaskgate-seen={({ detail }) => { void client.seen(detail.clarificationId); }}>
      <span slot="asker">Ada</span>
    </askgate-clarification>
  );
}

export function Wrong() {
  return (
    <>
      {/* @ts-expect-error no such state */}
      <askgate-clarification state="open" />
      {/* @ts-expect-error no such property */}
      <askgate-clarification question="Which?" />
      {/* @ts-expect-error an answer is no text */}
      <askgate-clarification onaskgate-answer={(event: CustomEvent<string>) => event.detail} />
    </>
  );
}

const element = document.createElement("askgate-clarification");
element.clarification = clarification;
element.addEventListener("askgate-answer", ({ detail }) => console.log(detail.value, detail.values));
const last = reduce(initialState, { id: "1", type: "done", data: {} }).items.at(-1);
if (last?.type === "assistant") console.log(last.content);
const inbox = new Inbox({ base: "https://gateway.example.org" });
let waiting = initialInbox;
inbox.follow((event) => { waiting = reduceInbox(waiting, event); });
for (const { app, chatId, waitsFor, clarificationId, answeredBy } of waiting.pending) console.log(app, chatId, waitsFor?.role, answeredBy?.subject, inbox.seen(clarificationId));
void loadMessages("de", "https://gateway.example.org");
const same: Client = new SameClient({ app: "assistant" });
console.log(same.chat);
// @ts-expect-error an app is needed
new Client({});
