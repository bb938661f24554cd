import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { build } from "../../scripts/build.ts";

/** A folder with the action that runs the current sources; removed when the test ends. */
export function actionFromSource(): string {
  const folder = emptyAction();
  mkdirSync(join(folder, "dist"));
  const program = pathToFileURL(join(process.cwd(), "action", "main.ts"));
  writeFileSync(join(folder, "dist", "action.js"), `await import(${JSON.stringify(program.href)});\n`);
  return folder;
}

/** The same, bundled as shipped: building takes seconds, but each start less than half as long. For many jobs. */
export async function actionBundled(): Promise<string> {
  const folder = emptyAction();
  await build(join(folder, "dist"), { action: "action/main.ts" });
  return folder;
}

function emptyAction(): string {
  const folder = mkdtempSync(join(tmpdir(), "action-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync("action.yml", join(folder, "action.yml"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  return folder;
}
