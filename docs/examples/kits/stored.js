// What the gateway has of a chat, for a kit to draw after a reload: messages as
// {id, role, text, calls: [{id, name, input, output}]}. A call that waits has no output.
import { Client } from "askgate";

export async function stored(settings) {
  const { messages } = await new Client(settings).snapshot().catch((problem) => {
    if (problem.status === 404) return { messages: [] }; // a chat that has not begun
    throw problem;
  });
  return messages.map(({ id, role, content, toolCalls = [] }) => ({ id, role, text: content, calls: toolCalls.flatMap(calls) }));
}

// A call, and what it asked: of ask_user that is the call itself.
function calls({ toolCallId, toolName, arguments: input, result, clarification: asked }) {
  const call = { id: toolCallId, name: toolName, input, output: result ?? undefined };
  if (!asked || asked.kind === "input") return [call];
  const question = { id: asked.kind === "approval" ? asked.clarificationId : toolCallId, name: "ask_user", input: asked, output: outcome(asked) };
  return question.id === call.id ? [question] : [question, call];
}

const outcome = ({ state, answer }) => state === "pending" ? undefined : state === "answered" ? answer : { [state]: true };
