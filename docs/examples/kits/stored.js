// The stored messages of a chat, for a kit to draw after a reload, as
// {id, role, text, calls: [{id, name, input, output}]}. A call that waits has no output.
import { Client } from "askgate";

export async function stored(settings) {
  const { messages } = await new Client(settings).snapshot().catch((problem) => {
    if (problem.status === 404) return { messages: [] }; // the chat does not exist yet
    throw problem;
  });
  return messages.map(({ id, role, content, toolCalls = [] }) => ({ id, role, text: content, calls: toolCalls.flatMap(calls) }));
}

// A call and its question. For ask_user, the question is the call itself.
function calls({ toolCallId, toolName, arguments: input, result, clarification: asked }) {
  const call = { id: toolCallId, name: toolName, input, output: result ?? undefined };
  if (!asked || asked.kind === "input") return [call];
  const question = { id: asked.kind === "approval" ? asked.clarificationId : toolCallId, name: "ask_user", input: asked, output: outcome(asked) };
  return question.id === call.id ? [question] : [question, call];
}

const outcome = ({ state, answer }) => state === "pending" ? undefined : state === "answered" ? answer : { [state]: true };
