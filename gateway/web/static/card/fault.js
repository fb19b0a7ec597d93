// The error of a field.
import { html, nothing } from "../vendor/lit.js";

// errorView draws the error of a field, with an id that its control can refer to.
export function errorView(c, field) {
  const message = c.errors[field];
  return message ? html`<p class="error" part="error" id="error-${field}" dir="auto">${message}</p>` : nothing;
}
