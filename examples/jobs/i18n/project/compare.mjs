import { readFileSync } from "node:fs";

const [source, ...others] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const placeholders = (text = "") => [...text.matchAll(/\{\w+\}/g)].map(String).sort().join(" ");
const wanted = read(source);
const faults = others.flatMap((file) => {
  const there = read(file);
  return [
    ...Object.keys(there).flatMap((key) => (key in wanted ? [] : [`${file}: ${key} is not in ${source}`])),
    ...Object.entries(wanted).flatMap(([key, text]) => {
      if (!(key in there)) return [`${file}: ${key} is missing, "${text}"`];
      return placeholders(text) === placeholders(there[key]) ? [] : [`${file}: ${key} has other placeholders`];
    }),
  ];
});
console.log(faults.join("\n") || "all languages are complete");
process.exitCode = faults.length > 0 ? 1 : 0;
