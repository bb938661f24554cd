/** Replaces {{name}} in a text. */
exports.render = (text, values) => text.replace(/{{(\w+)}}/g, (_, name) => String(values[name] ?? ""));
