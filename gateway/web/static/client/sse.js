// Reads server-sent events (WHATWG HTML) from the body of a fetch response:
// unlike EventSource, fetch can POST and send headers.

// readEvents yields {id, type, data}, with data parsed from JSON, and {retry} in ms if the server
// sends a reconnection delay. It returns at the end of the stream and throws if the stream breaks.
// onBytes is called for all bytes that arrive, comments included. Leaving the loop cancels the
// stream.
export async function* readEvents(body, onBytes = () => {}) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let event = { id: "", type: "message", data: "" };
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      onBytes();
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n"); // the gateway ends lines with LF
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") {
          if (event.data) yield { ...event, data: JSON.parse(event.data) };
          event = { id: "", type: "message", data: "" };
          continue;
        }
        const colon = line.indexOf(":");
        const text = line.slice(colon + 1).replace(/^ /, "");
        switch (colon < 0 ? line : line.slice(0, colon)) {
          case "id": event.id = text; break;
          case "event": event.type = text; break;
          case "data": event.data += text; break;
          case "retry": if (/^\d+$/.test(text)) yield { retry: Number(text) }; break;
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // a broken stream reports its error again
  }
}
