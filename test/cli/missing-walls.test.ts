import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";
import { builtCommandLine } from "../parts/built.ts";
import { folderAt, openFolder, typed } from "../parts/terminal.ts";

const inline = ["run", "--prompt", "go", "--until-bash", "true", "--agent", "command:true"];

/** The command line in a user namespace in which a script has made walls impossible. */
const within = (script: string) => ["unshare", "-Urm", "sh", "-c", `${script} && exec "$@"`, "sh"];
const canNest = spawnSync("unshare", ["-Urm", "true"]).status === 0;
const walls = await openIsolation({ environment: process.env }).walls();
const hasFileWall = walls.some(({ name, on }) => name === "files" && on);

test.runIf(canNest).each([
  [
    "no user namespaces may be made",
    "echo 0 > /proc/sys/user/max_user_namespaces",
    "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC); an agent can read the memory and environment of this user's processes, and leave processes behind (set `user.max_user_namespaces` above 0)",
  ],
  [
    "a container covers parts of /proc",
    "mount -t tmpfs t /proc/irq",
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted; an agent can read the memory and environment of this user's processes, and leave processes behind (in a container, start it with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`)",
  ],
])("where %s, the refusal says why the process wall is missing, and the remedy", async (_, script, why) => {
  const folder = folderAt(openFolder().path, undefined, within(script));
  const { code, stderr } = await folder.run(...inline, "--isolation", "required");
  expect(stderr).toContain("isolation is required and not available here: processes: ");
  expect(stderr).toContain(why);
  expect(code).toBe(1);
});

test.runIf(hasFileWall)(
  "the network wall works wherever the Node of until-green lies, as beside the checkout",
  () => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), "hidden-node-")));
    onTestFinished(() => rmSync(top, { recursive: true, force: true }));
    const [neighbour, checkout] = ["neighbour", "checkout"].map((name) => join(top, name)) as [
      string,
      string,
    ];
    for (const folder of [neighbour, checkout]) {
      mkdirSync(folder);
      execFileSync("git", ["init", "--quiet"], { cwd: folder });
    }
    const node = join(neighbour, "node");
    try {
      linkSync(realpathSync(process.execPath), node);
    } catch {
      copyFileSync(process.execPath, node);
    }
    const more = [...inline, "--network", "none", "--max-iterations", "1"].map((word) =>
      word.replace(/^true$/, "test -e done").replace("command:true", "command:touch done; echo ok"),
    );
    const { status, stdout, stderr } = spawnSync(node, [builtCommandLine(), ...more], {
      cwd: checkout,
      env: typed(),
      encoding: "utf8",
    });
    expect(stdout + stderr).toContain("succeeded");
    expect(status).toBe(0);
  },
);

test("a store in a place where no folder can be made names another place", async () => {
  const { code, stderr } = await openFolder().run(...inline, "--store", "dir:/proc/none");
  expect(stderr).toContain(
    "/proc/none cannot be read or written (ENOENT): give this user permission, or choose another folder with --store dir:PATH",
  );
  expect(code).toBe(1);
});
