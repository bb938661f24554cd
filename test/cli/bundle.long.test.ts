import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openClone, openHost } from "../parts/clones.ts";
import { loopFile } from "../parts/terminal.ts";

const workflow = loopFile(
  "prompt: '[$LOOP_USER_INPUT]'\nuntil: DONE\nmax_iterations: 9\ninteractive: true\ngate_message: look",
  "interactive: true\n",
);
const replies = `replies:
  - { say: first, write: { one.txt: "1" } }
  - { contains: "[on]", say: "second <promise>DONE</promise>", run: "test -f one.txt", write: { two.txt: "2" } }
  - { times: 0, say: "the agent of another" }
`;

test.each([undefined, 1])(
  "a run kept in a file resumes wherever the file is, without a host (depth %s)",
  async (depth) => {
    const server = await openHost({ "README.md": "x\n", "w.yml": workflow, "replies.yml": replies });
    const cut = depth === undefined ? {} : { depth };
    const [a, b] = [await openClone(server, cut), await openClone(server, cut)];
    await server.close();
    const there = mkdtempSync(join(tmpdir(), "handed-"));
    onTestFinished(() => rmSync(there, { recursive: true, force: true }));
    const how = (file: string) => ["--store", `bundle:${file}`, "--json"];
    const mine = join(a.path, "..", "run.bundle");
    const args = ["run", "w.yml", "--agent", "scripted:replies.yml", "--run-id", "handed-1", ...how(mine)];
    const first = await a.run(...args);
    expect(first.stderr + first.code).toMatch(/3$/);
    const theirs = join(there, "handed.bundle");
    copyFileSync(mine, theirs);
    const second = await b.run("approve", "handed-1", "on", ...how(theirs));
    expect(second.stderr + second.code).toMatch(/0$/);
    expect(readFileSync(join(b.path, "one.txt"), "utf8")).toBe("1");
    copyFileSync(theirs, mine);
    const events = (await a.run("status", "handed-1", ...how(mine))).events;
    expect(events.at(-1)).toMatchObject({ conclusion: "success", iterations: 2 });
    expect(existsSync(join(a.path, "two.txt"))).toBe(false);
  },
);
