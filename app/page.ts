import { createHmac, timingSafeEqual } from "node:crypto";
import { html, type Standing } from "../src/index.ts";

/** A run as a page that stays up to date as long as it is looked at; shows nothing that is not escaped. */
export function livePage(
  standing: Standing,
  { nonce, events }: { readonly nonce: string; readonly events: string },
): string {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'`;
  return html(standing.summary)
    .replace(/content="default-src[^"]*"/, () => `content="${policy}"`)
    .replace("</body>", () => `<script nonce="${nonce}">${script(events)}</script>\n</body>`);
}

/** Only the part of a page that changes. */
export function livePart(standing: Standing): string {
  const whole = html(standing.summary);
  return whole.slice(whole.indexOf("<main>") + "<main>".length, whole.indexOf("</main>"));
}

/** The address holds nothing of a stranger's: ids and our own signature. */
const script = (events: string) => `
const source = new EventSource(${JSON.stringify(events).replaceAll("<", "\\u003c")});
source.onmessage = ({ data }) => { document.querySelector("main").innerHTML = JSON.parse(data); };
source.addEventListener("end", () => source.close());
`;

/** The key of one run's page in a private repository: whoever has the link may read the page, for some days. */
export function signRun(secret: string, run: string, until: number): string {
  return `${until}.${signatureOf(secret, run, until)}`;
}

/** Whether a link's key is ours, for this run, and not too old. */
export function isSigned(
  secret: string,
  run: string,
  { key, now }: { readonly key: string; readonly now: number },
): boolean {
  const [until = "", signature = ""] = key.split(".", 2);
  const wanted = Buffer.from(signatureOf(secret, run, Number(until)));
  const given = Buffer.from(signature);
  return given.length === wanted.length && timingSafeEqual(given, wanted) && Number(until) > now;
}

const signatureOf = (secret: string, run: string, until: number) =>
  createHmac("sha256", `until-green page ${secret}`).update(`${run}\0${until}`).digest("base64url");
