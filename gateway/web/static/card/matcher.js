// The worker of match.js: one text, one verdict.
import { matches } from "./validate.js";

onmessage = ({ data: { s, ...rule } }) => postMessage(matches(rule, s));
