import { existsSync } from "node:fs";
import { createRequire } from "node:module";

/** The parts of a browser's page that tests use. */
export interface BrowserPage {
  goto(url: string): Promise<unknown>;
  waitForSelector(selector: string, options?: { readonly timeout: number }): Promise<unknown>;
  locator(selector: string): { count(): Promise<number>; click(): Promise<void> };
  title(): Promise<string>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  evaluate(script: string): Promise<unknown>;
  emulateMedia(media: { readonly colorScheme: "light" | "dark" }): Promise<void>;
  screenshot(options: { readonly path: string; readonly fullPage: boolean }): Promise<unknown>;
  on(event: "pageerror", listener: (error: Error) => void): void;
}

interface Browser {
  newPage(options: object): Promise<BrowserPage>;
  close(): Promise<void>;
}

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);

/** Why no browser is available, with a remedy; `undefined` if there is one. */
export function browserMissing(): string | undefined {
  if (chromium === undefined) return "no Chromium in /usr/bin: install one to test pages";
  try {
    loaderOf();
    return undefined;
  } catch {
    return "no playwright-core: run `npm ci` in tools/pictures to test pages";
  }
}

/** Opens a headless Chromium. */
export async function openBrowser(): Promise<Browser> {
  return await loaderOf().chromium.launch({
    executablePath: chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
  });
}

function loaderOf(): { readonly chromium: { launch(options: object): Promise<Browser> } } {
  return createRequire(new URL("../../tools/pictures/package.json", import.meta.url))("playwright-core");
}
