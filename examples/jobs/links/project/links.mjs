import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const broken = globSync("**/*.md").flatMap((page) =>
  [...readFileSync(page, "utf8").matchAll(/\]\((?!\w+:)([^)#]+)/g)]
    .filter(([, link]) => !existsSync(join(dirname(page), link)))
    .map(([, link]) => `${page}: ${link} does not exist`),
);
console.log(broken.join("\n") || "no link is broken");
process.exitCode = broken.length > 0 ? 1 : 0;
