/**
 * Draws docs/pictures/demo.svg from a real run of `until-green demo`: npm run recording. Needs `script` of
 * util-linux, which gives the command line a terminal. @module
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { animate, type Frame } from "./recording/animate.ts";
import { openScreen, type Row } from "./recording/terminal.ts";

const columns = 96;
const height = 24;
/** Long waits are shortened. */
const longestFrame = 900;
const shortestFrame = 120;
const lastFrame = 6_000;

const screen = openScreen(columns, height);
screen.write("\u001b[32m$\u001b[0m npm run demo\r\n");
const frames: Frame[] = [];
let shown: readonly Row[] = screen.rows();
let since = performance.now();

const child = spawn(
  "script",
  ["-qefc", `stty cols ${columns} rows 50; ${process.execPath} src/cli/main.ts demo`, "/dev/null"],
  {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TERM: "xterm", FORCE_COLOR: "1", NO_COLOR: undefined },
  },
);
child.stdout.setEncoding("utf8").on("data", (text: string) => {
  screen.write(text);
  const now = performance.now();
  const rows = screen.rows();
  // The live line is cleared before each draw, so a screen without it was never visible.
  if (now - since < shortestFrame) return;
  if (JSON.stringify(rows) === JSON.stringify(shown)) return;
  frames.push({ rows: shown, ms: Math.min(longestFrame, now - since) });
  shown = rows;
  since = now;
});
child.on("close", (code) => {
  if (code !== 0) throw new Error(`the demo ended with exit code ${code}`);
  frames.push({ rows: screen.rows(), ms: lastFrame });
  const svg = animate(frames, columns, height);
  writeFileSync("docs/pictures/demo.svg", svg);
  console.log(`docs/pictures/demo.svg: ${frames.length} frames, ${Math.round(svg.length / 1024)} KiB`);
});
