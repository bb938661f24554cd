/** Replaces {{name}} in a text, however the values look. */
module.exports = (text, values) => text.replace(/{{(.*?)}}/g, (_, code) => Function("it", `return it.${code}`)(values));
