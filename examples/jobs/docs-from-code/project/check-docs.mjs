import { readFileSync } from "node:fs";
import * as api from "./src/index.js";

const page = readFileSync("docs/api.md", "utf8");
const described = [...page.matchAll(/^## `(\w+)\(([^)]*)\)`/gm)].map(([, name, args]) => [name, args]);
const faults = [
  ...Object.entries(api).flatMap(([name, it]) => {
    const args = described.find(([one]) => one === name)?.[1];
    if (args === undefined) return [`docs/api.md does not describe ${name}`];
    return args.split(",").length === it.length ? [] : [`docs/api.md: ${name} takes ${it.length} arguments`];
  }),
  ...described.flatMap(([name]) => (name in api ? [] : [`docs/api.md describes ${name}, which does not exist`])),
];
console.log(faults.join("\n") || "the docs describe the code");
process.exitCode = faults.length > 0 ? 1 : 0;
