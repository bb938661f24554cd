import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addChecksum, firstMark, verifyChecksum } from "../../src/stores/checksummed-lines.ts";
import { type Folder, loopFile, openFolder } from "../parts/terminal.ts";

/*
 * Without the file wall an agent can write to the record of its run, with checksums that fit.
 */

const runId = "forged-0000aaaa";
const loop = loopFile("prompt: go\nuntil_bash: test -e done\nmax_iterations: 2");
const logIn = ({ path }: Folder) => join(path, ".git/until-green/runs", runId, "log.jsonl");
const run = (folder: Folder, agent: string) =>
  folder.run("run", "w.yml", "--json", "--agent", agent, "--run-id", runId, "--isolation", "off");

/** What is written to a log by `lines`. */
const sealed = (lines: readonly string[]) =>
  Buffer.concat(
    lines.reduce<{ parts: Buffer[]; mark: ReturnType<typeof firstMark> }>(
      ({ parts, mark }, line) => {
        const { bytes, marks } = addChecksum([line], mark);
        return { parts: [...parts, bytes], mark: marks.at(-1) ?? mark };
      },
      { parts: [], mark: firstMark(runId) },
    ).parts,
  );

/** The log of a run of the same loop that did the work. */
async function honestLog(): Promise<readonly string[]> {
  const folder = openFolder();
  folder.write({ "w.yml": loop });
  expect((await run(folder, "command:touch done; echo ok")).code).toBe(0);
  return verifyChecksum(readFileSync(logIn(folder)), firstMark(runId)).lines;
}

/** Runs an agent that does nothing but replace the log of its run with `lines`. */
async function attack(lines: readonly string[]) {
  const folder = openFolder();
  folder.write({ "w.yml": loop });
  const forged = join(folder.path, ".git/forged");
  writeFileSync(forged, sealed(lines));
  return { folder, ...(await run(folder, `command:cat ${forged} > ${logIn(folder)}; sleep 3; echo ok`)) };
}

test("answers that an agent writes into the record of its run end the run as tampered", async () => {
  const { code, events } = await attack(await honestLog());
  expect(events.at(-1)).toMatchObject({ type: "run.ended", stop_reason: "tampered" });
  expect(code).toBe(1);
});

test("a plan that an agent changes in the record of its run ends the run as tampered, with a true copy", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loop });
  const change = join(folder.path, ".git/change.mjs");
  const formats = new URL("../../src/stores/checksummed-lines.ts", import.meta.url);
  writeFileSync(
    change,
    `import { readFileSync, writeFileSync } from "node:fs";
    import { addChecksum, firstMark, verifyChecksum } from ${JSON.stringify(formats.href)};
    const [path, run] = process.argv.slice(2);
    let mark = firstMark(run);
    const parts = verifyChecksum(readFileSync(path), mark).lines.map((line) => {
      const { bytes, marks } = addChecksum([line.replaceAll("test -e done", "true||: done")], mark);
      mark = marks.at(-1);
      return bytes;
    });
    writeFileSync(path, Buffer.concat(parts));`,
  );
  const agent = `command:${process.execPath} ${change} ${logIn(folder)} ${runId}; touch done; echo ok`;
  const { code, events, stderr } = await run(folder, agent);
  expect(events.at(-1), stderr).toMatchObject({
    type: "run.ended",
    stop_reason: "tampered",
    because: expect.stringContaining("the run's log was changed while it ran"),
  });
  expect(code).toBe(1);
  const [, place = ""] = /--store (dir:\S+)"/.exec(JSON.stringify(events.at(-1))) ?? [];
  const log = readFileSync(join(place.replace("dir:", ""), runId, "log.jsonl"), "utf8");
  expect(log).toContain("test -e done");
  expect(log).not.toContain("true||: done");
});

test("what people do meanwhile is no forgery", async () => {
  const folder = openFolder();
  folder.write({ "w.yml": loop });
  const driven = folder.start("run", "w.yml", "--json", "--agent", "command:sleep 60", "--run-id", runId);
  await expect.poll(async () => (await folder.run("status", runId)).code, { timeout: 30_000 }).not.toBe(2);
  await folder.run("cancel", runId, "enough");
  expect((await driven.ended).events.at(-1)).toMatchObject({ type: "run.ended", conclusion: "cancelled" });
});
