import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { secretForms } from "../../src/ports/redact-secrets.ts";
import { readExcludedPaths } from "../../src/workspace/exclude-secrets.ts";
import { openPlayground } from "./playground.ts";

const secret = "sk-secret-0123456789";
const secrets = [secret, "another-secret-of-the-job"];
const files = { "a.txt": "a\n", "b.txt": "b\n" };

test("a file that holds a secret is left out of a snapshot, and out of each one after it, until the secret is gone", async () => {
  const { root, write, snapshot, kept, read } = openPlayground({ files, secrets });
  write({ "a.txt": `key: ${secret}\n`, "b.txt": "B\n", "new/c.txt": `${secret}` });
  const first = await snapshot();
  expect(first).toMatchObject({ withheld: ["a.txt", "new/c.txt"], diff: { files: 1, paths: ["b.txt"] } });
  expect(kept("show", `${first.commit}:a.txt`)).toBe("a\n");
  expect(kept("log", "-p", "--format=%B", first.commit ?? "")).not.toContain(secret);
  const gitDir = join(root, "private/run-0001/snapshots.git");
  expect(await readExcludedPaths(gitDir, [first.commit ?? ""])).toEqual([["a.txt", "new/c.txt"]]);
  expect(read("a.txt")).toContain(secret);
  const second = await snapshot(first.commit);
  expect(second).toMatchObject({ withheld: ["a.txt", "new/c.txt"], diff: { files: 0 } });
  write({ "a.txt": "key: none\n", "new/c.txt": "c" });
  const third = await snapshot(second.commit);
  expect(third).toMatchObject({ diff: { files: 2, paths: ["a.txt", "new/c.txt"] } });
  expect(third.withheld).toBeUndefined();
  expect(await readExcludedPaths(gitDir, [third.commit ?? ""])).toEqual([[]]);
});

test("so is one that holds it encoded, or broken up over lines", async () => {
  const { write, snapshot } = openPlayground({ files, secrets: secretForms(secrets) });
  const lines = (text: string) => text.replace(/.{10}/g, "$&\n");
  write({
    "base64.txt": lines(Buffer.from(`x\nKEY=${secret}\ny`).toString("base64")),
    "hex.txt": Buffer.from(secret).toString("hex"),
    "lines.txt": lines(secret),
    "quoted.json": JSON.stringify({ text: lines(secret) }),
    "b.txt": "B\n",
  });
  const withheld = ["base64.txt", "hex.txt", "lines.txt", "quoted.json"];
  expect(await snapshot()).toMatchObject({ withheld, diff: { files: 1, paths: ["b.txt"] } });
});

test("so is one that is there already in the checkout's own repository, and one with a secret for a name", async () => {
  const { write, snapshot, kept, git } = openPlayground({ files, secrets });
  write({ "a.txt": `${secret}\n`, [`d/${secret}.txt`]: "named" });
  git("add", "--all");
  git("commit", "-q", "-m", "by the agent");
  git("repack", "-adq");
  git("reset", "-q", "--soft", "HEAD^");
  const { commit = "", withheld } = await snapshot();
  expect(withheld).toEqual(["a.txt", `d/${secret}.txt`]);
  expect(kept("log", "-p", "--format=%B", commit)).not.toContain(secret);
});

test("also in a repository without a commit", async () => {
  const { write, snapshot, kept } = openPlayground({ secrets });
  write({ "a.txt": "fine\n", "b.txt": secret });
  const { commit = "", withheld } = await snapshot();
  expect(withheld).toEqual(["b.txt"]);
  expect(kept("ls-tree", "--name-only", commit)).toBe("a.txt\n");
});

test("a fork copies no secret, and returns none", async () => {
  const { ask, snapshot, kept, read } = openPlayground({ files, secrets });
  const { path = "" } = await ask({ op: "fork", name: "one" });
  await writeFile(join(path, "a.txt"), secret);
  await writeFile(join(path, "b.txt"), "joined\n");
  await ask({ op: "join", name: "one", from: "" });
  expect([read("a.txt"), read("b.txt")]).toEqual(["a\n", "joined\n"]);
  const { commit = "" } = await snapshot();
  expect(kept("log", "--all", "-p", "--format=%B", commit)).not.toContain(secret);
});
