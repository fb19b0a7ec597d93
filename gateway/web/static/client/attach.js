// Files for a message. They are uploaded first, and the message refers to them by id.

// reporting returns a replacement for fetch that reports upload progress from 0 to 1, which fetch
// cannot.
export const reporting = (onProgress) => (url, { method, headers, body, signal }) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open(method, url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ lengthComputable, loaded, total }) => lengthComputable && onProgress(loaded / total);
  request.onload = () => resolve(new Response(request.responseText, {
    status: request.status, headers: ["Content-Type", "Retry-After", "X-Request-Id"].flatMap((name) => request.getResponseHeader(name) ? [[name, request.getResponseHeader(name)]] : []),
  }));
  request.onerror = () => reject(new TypeError("network"));
  request.onabort = () => reject(signal?.reason);
  if (signal?.aborted) return reject(signal.reason);
  signal?.addEventListener("abort", () => request.abort());
  request.send(body);
});

// formOf returns the body of an upload.
export function formOf(file) {
  const body = new FormData();
  body.append("file", file, file.name ?? "file");
  return body;
}
