// The stored messages of a chat, as AG-UI has them.
import { stored } from "./stored.js";

export async function history(settings) {
  return (await stored(settings)).flatMap(({ id, role, text, calls }) => [
    { id, role, content: text, ...(calls.length && { toolCalls: calls.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(input) } })) }) },
    ...calls.filter(({ output }) => output !== undefined).map(({ id, output }) => ({ id: `result_${id}`, role: "tool", toolCallId: id, content: typeof output === "string" ? output : JSON.stringify(output) })),
  ]);
}
