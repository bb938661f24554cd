import { existsSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { code, table } from "./markdown.ts";

const put = z.looseObject({ description: z.string().default(""), default: z.unknown().optional() });
const action = z.looseObject({
  inputs: z.record(z.string(), put).default({}),
  outputs: z.record(z.string(), put).default({}),
});

const notYet = "_There is no `action.yml` in this version._";

/** The action's inputs or outputs, from `action.yml`. */
export function actionTable(which: "inputs" | "outputs"): string {
  if (!existsSync("action.yml")) return notYet;
  const puts = Object.entries(action.parse(parse(readFileSync("action.yml", "utf8")))[which]);
  if (which === "outputs")
    return table(
      ["output", "meaning"],
      puts.map(([name, { description }]) => [code(name), description]),
    );
  const rows = puts.map(([name, it]) => [code(name), fallback(it.default), it.description]);
  return table(["input", "default", "meaning"], rows);
}

const fallback = (value: unknown) => (value === undefined || value === "" ? "" : code(String(value)));
