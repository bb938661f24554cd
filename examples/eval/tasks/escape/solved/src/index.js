const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes a text for HTML. */
export const escape = (text) => String(text).replace(/[&<>"']/g, (char) => names[char]);

/** Replaces each `{name}` in a template with its escaped value; names without a value stay. */
export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) =>
    Object.hasOwn(values, name) ? escape(values[name]) : whole,
  );
}
