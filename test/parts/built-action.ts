import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { built } from "./built.ts";

/** A folder with the action as it ships, of the current sources; removed when the test ends. */
export function builtAction(): string {
  const folder = mkdtempSync(join(tmpdir(), "action-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync("action.yml", join(folder, "action.yml"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  symlinkSync(built("dist"), join(folder, "dist"));
  return folder;
}
