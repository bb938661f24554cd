import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";

/** A picture to be drawn: Markdown as GitHub shows it, or a page as it is. */
export interface Picture {
  /** Where it goes, a PNG. */
  readonly file: string;
  readonly markdown?: string;
  readonly html?: string;
  /** The box that GitHub puts round the Markdown: what stands at its head, and its buttons. */
  readonly frame?: { readonly head: string; readonly buttons?: readonly string[] };
  readonly dark?: boolean;
  /** In pixels; that of a comment on a large screen if absent. */
  readonly width?: number;
}

/** What stands on a picture that was drawn, as the browser's page had it. */
export interface Seen {
  readonly text: string;
  /** The cells of each table, row by row, its head first. */
  readonly tables: readonly (readonly (readonly string[])[])[];
  readonly charts: readonly Chart[];
  readonly details: number;
  readonly openDetails: number;
  readonly scripts: number;
  /** What does not fit into the width. */
  readonly overflowing: readonly string[];
}

interface Chart {
  readonly width: number;
  readonly height: number;
  /** The colour of its line. */
  readonly line: string;
}

/** Why no pictures can be drawn here; `undefined` where they can. */
export function missingForPictures(): string | undefined {
  if (!existsSync("tools/pictures/node_modules")) return "run `npm ci` in tools/pictures";
  const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  return browsers.some((path) => existsSync(path)) ? undefined : "install Chromium: apt-get install chromium";
}

/** Draws pictures with one browser, and says what stands on each. */
export async function draw(pictures: readonly Picture[]): Promise<readonly Seen[]> {
  const child = spawn(process.execPath, ["tools/pictures/render.mjs"], {
    stdio: ["pipe", "pipe", "inherit"],
    timeout: 120_000,
  });
  child.stdin.end(JSON.stringify(pictures));
  const [out, code] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve) => child.once("close", resolve)),
  ]);
  if (code !== 0) throw new Error(`tools/pictures/render.mjs ended with ${code ?? "a signal"}`);
  return JSON.parse(out) as readonly Seen[];
}
