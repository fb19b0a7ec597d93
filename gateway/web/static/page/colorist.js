// The worker of colors.js: reads code, and returns which parts of it have which role. It sends only
// roles and lengths, so that it cannot change the text.
import { hljs } from "../vendor/highlight.js";

const roles = {
  __proto__: null, comment: "comment", quote: "comment", keyword: "keyword", built_in: "keyword", type: "keyword", string: "string", regexp: "string", char: "string",
  number: "number", literal: "number", symbol: "number", title: "title", section: "title", attr: "name", attribute: "name", property: "name", variable: "name",
  name: "keyword", "selector-tag": "keyword", "selector-class": "title", "selector-id": "title", "selector-attr": "name", "selector-pseudo": "name", "template-variable": "name",
  meta: "comment", doctag: "keyword", addition: "string", deletion: "deletion",
};

const parts = /<span class="hljs-([\w-]+)[^"]*">|(<span[^>]*>)|(<\/span>)|&[#\w]+;|[^<&]+/g;

// partsOf returns the parts of code as [role, length, role, length, ...]; a role is "" for plain text.
function partsOf(code, language) {
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true });
  const all = [], open = [""];
  for (const [part, name, other, end] of value.matchAll(parts)) {
    if (name || other) open.push(roles[name] ?? open.at(-1));
    else if (end) open.pop();
    else {
      const length = part[0] === "&" ? 1 : part.length, role = open.at(-1);
      if (all.at(-2) === role) all[all.length - 1] += length;
      else all.push(role, length);
    }
  }
  return all;
}

onmessage = ({ data: { code, language } }) => postMessage(partsOf(code, language));
