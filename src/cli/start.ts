#!/usr/bin/env node
// The first of the program that is read, also by a Node that is too old for the rest: written in words that all know.
const node = process.versions.node;
if (Number.parseInt(node, 10) >= 22) void import("./main.ts");
else {
  process.stderr.write(
    `until-green needs Node 22 or newer, and this is Node ${node}: install a newer one (https://nodejs.org).\n`,
  );
  process.exitCode = 1;
}
