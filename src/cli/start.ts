#!/usr/bin/env node
// Loaded first, even by an unsupported old Node: no imports, and only old syntax.
const node = process.versions.node;
if (process.platform === "win32")
  refuse(
    "until-green does not run on Windows itself: run it in WSL (https://learn.microsoft.com/windows/wsl).",
  );
else if (Number.parseInt(node, 10) >= 22) void import("./main.ts");
else
  void import("./bundled-node.ts").then(
    (bundled) => bundled.runByBundledNode() || refuse(tooOld()),
    () => refuse(tooOld()),
  );

function tooOld(): string {
  return `until-green needs Node 22 or newer, and this is Node ${node}: install a newer one (https://nodejs.org).`;
}

function refuse(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}
