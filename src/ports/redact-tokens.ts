/**
 * Formats of keys and tokens: of GitHub (newer ones contain a JWT), model providers, AWS, Google, GitLab, npm and
 * Slack, and JSON web tokens.
 */
const tokenForms = [
  /\bgh[pousr]_[\w.-]{36,}/,
  /\bgithub_pat_\w{22,}/,
  /\bsk-(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{20,}/,
  /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bAIza[\w-]{35}/,
  /\bglpat-[\w-]{20,}/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bxox[abeprs]-[\w-]{10,}/,
];

const anyToken = new RegExp(tokenForms.map(({ source }) => source).join("|"), "g");

/** A text without anything that looks like a key or token, known or not; its kind stays readable. */
export const redactTokens = (text: string): string =>
  text.replace(anyToken, (token) => `${token.slice(0, 4)}***`);

/** Whether a text contains anything that looks like a key or token. */
export const hasToken = (text: string): boolean => text.search(anyToken) >= 0;
