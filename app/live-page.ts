import { createHmac, timingSafeEqual } from "node:crypto";
import type { RepositoryContext } from "../src/api/github.ts";
import { inHtml, livePage, liveTitle } from "../src/api/github.ts";
import type { RunStatus } from "../src/api/runs.ts";
import { pageStyle } from "./page-style.ts";

export type Repository = Pick<RepositoryContext, "server" | "owner" | "repo">;

export interface PageOptions {
  readonly repository: Repository;
  /** The nonce of the page's only script. */
  readonly nonce: string;
  /** The URL of its updates. */
  readonly events: string;
}

/** A run as a page that updates itself; everything on it is escaped. */
export function runPage(status: RunStatus, { repository, nonce, events }: PageOptions): string {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${inHtml(liveTitle(status))}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>${livePart(status, repository)}</main>
<p id="live" role="status"></p>
<script nonce="${nonce}">${script(events)}</script>
</body>
</html>
`;
}

/** The part of a page that changes. */
export const livePart = (status: RunStatus, { server, owner, repo }: Repository) =>
  livePage(status, { server, repository: `${owner}/${repo}` });

/** The URL contains only ids and our own signature, nothing untrusted. Open details stay open. */
const script = (events: string) => `
const status = document.querySelector("#live");
const say = (now, text) => { status.dataset.now = now; status.textContent = text; };
const source = new EventSource(${JSON.stringify(events).replaceAll("<", "\\u003c")});
source.onopen = () => say("live", "live");
source.onerror = () => say("lost", "looking for the server");
source.onmessage = ({ data }) => {
  const main = document.querySelector("main");
  const open = [...main.querySelectorAll("details[open] > summary")].map((one) => one.textContent);
  main.innerHTML = JSON.parse(data);
  for (const one of main.querySelectorAll("details > summary"))
    if (open.includes(one.textContent)) one.parentElement.open = true;
  document.title = main.querySelector("h1").innerText.replace(/\\s+/g, " ");
};
source.addEventListener("end", ({ data }) => { if (data === "over") { source.close(); say("over", "this run has ended"); } });
`;

/** The key of a run's page in a private repository: whoever has the link can read the page for some days. */
export function signRun(secret: string, run: string, until: number): string {
  return `${until}.${signatureOf(secret, run, until)}`;
}

/** True if a link's key is ours, for this run, and not too old. */
export function isSigned(
  secret: string,
  run: string,
  { key, now }: { readonly key: string; readonly now: number },
): boolean {
  const [until = "", signature = ""] = key.split(".", 2);
  const wanted = Buffer.from(signatureOf(secret, run, Number(until)));
  const provided = Buffer.from(signature);
  return provided.length === wanted.length && timingSafeEqual(provided, wanted) && Number(until) > now;
}

const signatureOf = (secret: string, run: string, until: number) =>
  createHmac("sha256", `until-green page ${secret}`).update(`${run}\0${until}`).digest("base64url");
