// The gateway lists this page's origin under cors.origins. Your own server knows who is signed in, and
// hands out that person's key or token.
export const gateway = {
  base: "http://127.0.0.1:8080",
  app: "assistant",
  headers: async () => ({ Authorization: `Bearer ${await (await fetch("/key")).text()}` }),
};
