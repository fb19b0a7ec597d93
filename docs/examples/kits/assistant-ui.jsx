import { useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { HttpAgent } from "@ag-ui/client";
import { AssistantRuntimeProvider, ComposerPrimitive, ExportedMessageRepository, makeAssistantTool, MessagePrimitive, ThreadPrimitive } from "@assistant-ui/react";
import { fromAgUiMessages, useAgUiRuntime } from "@assistant-ui/react-ag-ui";
import { newId } from "askgate";
import { history } from "./agui.js";
import { Question } from "./question.jsx";

const gateway = { base: "http://127.0.0.1:8080", app: "assistant" };
const chat = location.hash.slice(1) || newId();
location.hash = chat; // a reload comes back to this chat

// Each question is a call of this tool, and the card's answer is its result.
const AskUser = makeAssistantTool({
  toolName: "ask_user", type: "human", description: "Asks the person.",
  parameters: { type: "object", properties: { questions: { type: "array", items: { type: "object" } } } },
  render: ({ toolCallId, args, result, addResult }) => <Question id={toolCallId} input={args} output={result} answer={addResult} />,
});

function Chat({ headers }) {
  const [error, setError] = useState(null);
  const agent = useMemo(() => new HttpAgent({ url: `${gateway.base}/v1/apps/${gateway.app}/ag-ui`, threadId: chat, headers }), []);
  const adapters = useMemo(() => ({ history: {
    load: async () => ExportedMessageRepository.fromArray(fromAgUiMessages(await history({ ...gateway, chat, headers }))),
    append: async () => {}, // the gateway stores messages itself
  } }), []);
  const runtime = useAgUiRuntime({ agent, adapters, autoCancelPendingToolCalls: false, onError: setError });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <AskUser />
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={{ Message: () => <MessagePrimitive.Root><MessagePrimitive.Parts /></MessagePrimitive.Root> }} />
        </ThreadPrimitive.Viewport>
        {error && <p role="alert">{error.message}</p>}
        <ComposerPrimitive.Root><ComposerPrimitive.Input aria-label="Message" /> <ComposerPrimitive.Send>Send</ComposerPrimitive.Send></ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

const key = await (await fetch("/key")).text(); // the key of the signed-in person, from your server
createRoot(document.getElementById("root")).render(<Chat headers={{ Authorization: `Bearer ${key}` }} />);
