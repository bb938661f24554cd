import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../../src/compile/compile.ts";
import { planSchema } from "../../../src/plan/plan.ts";
import { noFiles } from "./files.ts";

const folder = new URL("./seeds/", import.meta.url);

test.each(readdirSync(folder))("%s compiles without a fault or a warning", (file) => {
  const compiled = compile({ text: readFileSync(new URL(file, folder), "utf8"), file }, noFiles);
  expect(compiled).toMatchObject({ ok: true, warnings: [] });
  if (compiled.ok) expect(planSchema.parse(JSON.parse(JSON.stringify(compiled.plan)))).toEqual(compiled.plan);
});
