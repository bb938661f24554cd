import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { builtCommandLine } from "../parts/built.ts";
import { openScene, type Scene } from "./escape-scene.ts";

/*
 * Files that nobody may read, as an ordinary user leaves them: root reads them all the same.
 */

const isRoot = process.getuid?.() === 0;
const scenes: Scene[] = [];
afterAll(() => {
  for (const scene of scenes) scene.close();
});

const commit =
  "git add README.md fixtures; git -c user.name=a -c user.email=a@example.com commit -q -m start; rm gha-creds-0.json";

async function play({ agent, before = "" }: { readonly agent: string; readonly before?: string }) {
  const scene = await openScene();
  scenes.push(scene);
  scene.look(`mkdir fixtures; echo 1 > fixtures/one; ${commit}; ${before}`);
  const { code, stdout } = await scene.run(`${agent}; touch done; echo ok`, "off");
  const modes = scene.look("stat -c '%a %n' new fixtures/one fixtures/locked 2> /dev/null");
  const kept = scene
    .look('git --git-dir "$(find .git/until-green -name snapshots.git)" log --all --name-only --format=')
    .split("\n");
  return { code, stdout, modes, kept };
}

const notice = "note: files that nobody could read were made readable for their owner: ";

test("what an agent makes unreadable is made readable, and is in the snapshot", async () => {
  const { code, stdout, kept } = await play({
    agent: `echo x > new; mkdir -p d/e enter list; for d in d/e enter list; do echo x > $d/x; done
      echo ignored > .gitignore; chmod 000 new fixtures/one .gitignore d/e d; chmod 111 enter; chmod 600 list`,
  });
  expect(code, stdout).toBe(0);
  expect(stdout).toContain(`${notice}.gitignore, d, d/e, enter, fixtures/one, list, new\n`);
  expect(kept).toEqual(expect.arrayContaining([".gitignore", "d/e/x", "done", "enter/x", "list/x", "new"]));
});

test("an agent that locks a file of the commit, or the checkout, keeps nothing else out of the snapshot", async () => {
  const { code, stdout, kept } = await play({
    agent: "chmod 000 fixtures/one; echo x > new; touch done; chmod 111 .",
  });
  expect(code, stdout).toBe(0);
  expect(stdout).toContain(`${notice}fixtures/one\n`);
  expect(kept).toEqual(expect.arrayContaining(["done", "new"]));
});

test("what was unreadable before the run stays so, and does not stop it", async () => {
  const { code, stdout, modes, kept } = await play({
    before: "echo 1 > fixtures/locked; chmod 000 fixtures/one fixtures/locked",
    agent: "stat -c %a fixtures/*; echo x > new; chmod 000 new",
  });
  expect(code, stdout).toBe(0);
  expect(stdout).toContain(`${notice}new\n`);
  expect(modes).toBe("600 new\n0 fixtures/one\n0 fixtures/locked\n");
  expect(kept).toEqual(expect.arrayContaining(["done", "fixtures/locked", "new"]));
});

test.runIf(isRoot)("what another user keeps from us is left out, and named", async () => {
  const scene = await openScene();
  scenes.push(scene);
  scene.look(commit);
  const folder = join(scene.checkout, "data");
  mkdirSync(folder, { mode: 0o700 });
  chownSync(folder, 1, 1);
  const file = join(scene.checkout, "key.txt");
  writeFileSync(file, "x\n", { mode: 0o600 });
  chownSync(file, 1, 1);
  const { code, stdout } = await scene.run("touch done; echo ok", "auto");
  expect(code, stdout).toBe(0);
  expect(stdout).toContain("files of other users that cannot be read are stored in their previous version: ");
  expect(stdout).toMatch(/stored in their previous version: (data, key\.txt|key\.txt, data)\n/);
});

test("a protected file in a folder that an agent made read-only is restored, and a new one removed", async () => {
  const scene = await openScene();
  scenes.push(scene);
  scene.look(`mkdir -p fixtures/deep; echo 1 > fixtures/deep/one; ${commit}`);
  const agent =
    "cd fixtures; echo 2 > deep/one; mkdir new; echo x > new/two; chmod 555 new deep .; cd ..; touch done; echo ok";
  const { code, stdout } = await scene.run(agent, "off", "--protect", "fixtures/**");
  expect(code, stdout).toBe(0);
  expect(stdout).toContain("they were restored: fixtures/deep/one, fixtures/new/two\n");
  expect(scene.look("cat fixtures/deep/one; cat fixtures/new/two 2> /dev/null")).toBe("1\n");
});

test("`restore` restores all files, also in folders that an agent made read-only", async () => {
  const scene = await openScene();
  scenes.push(scene);
  scene.look(commit);
  const first =
    "if ! test -e out; then mkdir -p out/a; echo 1 > out/a/f; echo 1 > out/g; echo 1 > src; echo ok; exit; fi";
  const second =
    "echo 2 > out/a/f; echo 2 > out/a/n; echo 2 > src; rm out/g; chmod 555 out/a out; touch done; echo ok";
  const { code, stdout } = await scene.run(`${first}; ${second}`, "off", "--max-iterations", "2");
  expect(code, stdout).toBe(0);
  const main = builtCommandLine();
  const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(main)} restore 1 2>&1`;
  expect(scene.look(command)).toContain("restored the files as they were after iteration 1");
  expect(scene.look("ls out out/a; cat out/a/f out/g src")).toBe("out:\na\ng\n\nout/a:\nf\n1\n1\n1\n");
});
