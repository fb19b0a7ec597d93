// Reads server-sent events from a fetch response: unlike EventSource, fetch can
// POST and send headers. onEvent gets {id, name, data}; the promise resolves at
// the end of the stream and rejects when it breaks.
export async function readEvents(response, onEvent) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let event = { id: "", name: "message", data: [] };
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n"); // the gateway ends lines in LF
    rest = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (event.data.length) onEvent({ id: event.id, name: event.name, data: JSON.parse(event.data.join("\n")) });
        event = { id: "", name: "message", data: [] };
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "id") event.id = text;
      else if (field === "event") event.name = text;
      else if (field === "data") event.data.push(text);
    }
  }
}
