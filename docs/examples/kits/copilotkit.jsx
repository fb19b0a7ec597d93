import { createRoot } from "react-dom/client";
import { EventType, HttpAgent } from "@ag-ui/client";
import { CopilotChat, CopilotKitProvider, useHumanInTheLoop } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { newId } from "askgate";
import { from, mergeMap } from "rxjs";
import { z } from "zod";
import { history } from "./agui.js";
import { Question } from "./question.jsx";

const gateway = { base: "http://127.0.0.1:8080", app: "assistant" };
const chat = location.hash.slice(1) || newId();
location.hash = chat; // a reload comes back to this chat

// CopilotChat connects to its thread first; connect then passes it the stored messages.
class Agent extends HttpAgent {
  connect({ threadId, runId }) {
    return from(history({ ...gateway, chat: threadId, headers: this.headers })).pipe(mergeMap((messages) => [
      { type: EventType.RUN_STARTED, threadId, runId }, { type: EventType.MESSAGES_SNAPSHOT, messages }, { type: EventType.RUN_FINISHED, threadId, runId },
    ]));
  }
}

// Each question is a call of this tool, and the card's answer is its result. The card is shown as
// soon as CopilotKit accepts a result.
function AskUser() {
  useHumanInTheLoop({
    name: "ask_user", description: "Asks the person.", parameters: z.object({ questions: z.array(z.any()) }),
    render: ({ toolCallId, args, result, respond }) => (result || respond) && <Question id={toolCallId} input={args} output={parsed(result)} answer={respond} />,
  });
  return null;
}

// The gateway's message about a question that was answered elsewhere is plain text.
function parsed(result) {
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}

const key = await (await fetch("/key")).text(); // the key of the signed-in person, from your server
const agent = new Agent({ url: `${gateway.base}/v1/apps/${gateway.app}/ag-ui`, threadId: chat, headers: { Authorization: `Bearer ${key}` } });
const agents = { default: agent };
createRoot(document.getElementById("root")).render(
  <CopilotKitProvider selfManagedAgents={agents} enableInspector={false}>
    <AskUser />
    <CopilotChat agentId="default" threadId={chat} />
  </CopilotKitProvider>,
);
