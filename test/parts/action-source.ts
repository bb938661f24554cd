import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";

/** A folder with the action whose program is that of the sources as they are now, built or not; gone when the test ends. */
export function actionFromSource(): string {
  const folder = mkdtempSync(join(tmpdir(), "action-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync("action.yml", join(folder, "action.yml"));
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const program = pathToFileURL(join(process.cwd(), "action", "main.ts"));
  writeFileSync(join(folder, "dist", "action.js"), `await import(${JSON.stringify(program.href)});\n`);
  return folder;
}
