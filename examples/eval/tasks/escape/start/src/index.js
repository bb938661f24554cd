const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** A text that stands in HTML as what it is. */
export const escape = (text) => String(text).replace(/[&<>"']/g, (char) => names[char]);

/** Fills `{name}` in a template with escaped values; one that is not given stays. */
export function fill(template, values) {
  let filled = template;
  for (const [name, value] of Object.entries(values)) filled = filled.replace(`{${name}}`, escape(value));
  return filled;
}
