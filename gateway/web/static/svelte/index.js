// What bundlers with Svelte's plugin load as askgate/svelte: svelte.js and the component.
export * from "../svelte.js";
export { default as AskGateChat } from "./AskGateChat.svelte";
