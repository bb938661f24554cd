/** The first letters of a text, with an ellipsis if there are more. */
export const shorten = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/** A text in brackets. */
export const bracket = (text) => `[${text}]`;
