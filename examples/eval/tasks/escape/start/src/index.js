const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes a text for HTML. */
export const escape = (text) => String(text).replace(/[&<>"']/g, (char) => names[char]);

/** Replaces each `{name}` in a template with its escaped value; names without a value stay. */
export function fill(template, values) {
  let filled = template;
  for (const [name, value] of Object.entries(values)) filled = filled.replace(`{${name}}`, escape(value));
  return filled;
}
