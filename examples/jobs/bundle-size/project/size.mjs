import { readFileSync } from "node:fs";

const [size, limit] = [readFileSync("dist/index.js").length, Number(process.argv[2])];
console.log(`the bundle has ${size} bytes; the limit is ${limit}`);
process.exitCode = size > limit ? 1 : 0;
