/**
 * The forms in which a secret may appear: plain, and as tools encode, escape or reverse it. A program that tries to
 * smuggle one out finds other ways; these catch programs that print what they have.
 */
export function secretForms(secrets: readonly string[]): readonly string[] {
  const forms = secrets.flatMap((secret) => {
    // A text this short is more likely a word.
    if (secret.length < shortestSecret) return [secret];
    const bytes = Array.from(new TextEncoder().encode(secret));
    const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const quoted = JSON.stringify(secret).slice(1, -1);
    return [
      secret,
      ...longLines(secret),
      quoted,
      ...inUrls(secret),
      inMarkup(secret),
      ...inBase64(bytes),
      hex,
      hex.toUpperCase(),
      turned(secret),
    ];
  });
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length);
}

/** Shorter texts would match ordinary words. */
export const shortestSecret = 8;

/** A text without the secrets, even if one is split over lines, as encoders do. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const whole = secrets.reduce((struck, secret) => struck.replaceAll(secret, sign), text);
  const joined = whole.replace(lineBreaks, "");
  if (joined.length === whole.length) return whole;
  return secrets
    .filter((secret) => secret.length >= minSplitSecretLength && joined.includes(secret))
    .reduce((struck, secret) => struck.replace(brokenUp(secret), sign), whole);
}

/** Shorter pieces could match the end of one line and the start of the next by chance. */
export const minSplitSecretLength = 16;

const sign = "***";

/** Plain line breaks, and escaped ones in a quoted text. */
const lineBreak = "(?:\\r?\\n|\\\\r\\\\n|\\\\n)";
const lineBreaks = new RegExp(lineBreak, "g");

const brokenUp = (secret: string) => {
  const characters = Array.from(secret, (each) => each.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&"));
  return new RegExp(characters.join(`${lineBreak}?`), "g");
};

/** Any line of a multi-line key reveals it, except its header and footer. */
const longLines = (secret: string) =>
  secret.split(/\r?\n/).filter((line) => line.length >= longLine && !line.startsWith("-----"));

const longLine = 32;

function inUrls(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  return [encoded, encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())];
}

const inMarkup = (secret: string) =>
  secret.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

/** The base64 of these bytes inside a longer text, at each of three offsets; only digits that no neighbor changes. */
function inBase64(bytes: readonly number[]): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const all = [...Array<number>(before).fill(0), ...bytes];
    const text = btoa(String.fromCharCode(...all)).replace(/=+$/, "");
    const exact = text.slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6));
    return [exact, exact.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

const turned = (secret: string) => Array.from(secret).toReversed().join("");
