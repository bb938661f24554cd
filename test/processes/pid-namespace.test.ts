import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findPidNamespace } from "../../src/processes/pid-namespace.ts";
import { outputOf } from "../../src/processes/start-program.ts";

const isHere = typeof (await findPidNamespace({ masks: [], hidden: [], files: undefined })) !== "string";

test.runIf(isHere)("known credentials are empty also without the file wall", async () => {
  const folder = mkdtempSync(join(homedir(), ".until-green-hidden-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [hidden, open] = ["hidden", "open"].map((name) => join(folder, name)) as [string, string];
  for (const path of [hidden, open]) writeFileSync(path, `${path}\n`);
  const namespace = await findPidNamespace({ masks: [], hidden: [hidden], files: undefined });
  if (typeof namespace === "string") throw new Error(namespace);
  const { command, args, env } = namespace.wrap({ command: "/bin/cat", args: [hidden, open], env: {} });
  expect(await outputOf(command, args, { env })).toBe(`${open}\n`);
});
