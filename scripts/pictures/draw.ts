import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";

/** A picture to draw: Markdown as GitHub renders it, or a page. */
export interface Picture {
  /** The path of the PNG. */
  readonly file: string;
  readonly markdown?: string;
  readonly html?: string;
  /** GitHub's box around the Markdown: its title, its buttons, and the size of its text in pixels (default 16). */
  readonly frame?: {
    readonly head: string;
    readonly buttons?: readonly string[];
    readonly fontSize?: number;
  };
  readonly dark?: boolean;
  /** In pixels; default: a comment on a large screen. */
  readonly width?: number;
}

/** The content of a drawn picture according to the browser's page. */
export interface Seen {
  readonly text: string;
  /** In pixels, with everything folded that is folded. */
  readonly height: number;
  /** The cells of each table by row, header first. */
  readonly tables: readonly (readonly (readonly string[])[])[];
  readonly charts: readonly Chart[];
  readonly details: number;
  readonly openDetails: number;
  readonly scripts: number;
  /** Texts that overflow the width. */
  readonly overflowing: readonly string[];
}

interface Chart {
  readonly width: number;
  readonly height: number;
  /** The colour of its line. */
  readonly line: string;
}

/** Why no pictures can be drawn here; `undefined` if they can. */
export function missingForPictures(): string | undefined {
  if (!existsSync("tools/pictures/node_modules")) return "run `npm ci` in tools/pictures";
  const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  return browsers.some((path) => existsSync(path)) ? undefined : "install Chromium: apt-get install chromium";
}

/** Draws pictures with one browser, and returns their content. */
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
