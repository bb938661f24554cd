import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderAt, loopFile, openFolder, typed } from "../parts/terminal.ts";

const loop = `name: w
nodes:
  - id: fix
    loop:
      prompt: go
      until_bash: test "$(rev secret/key.txt)" = password && grep -qx green state.txt
      max_iterations: 1
`;
const token = "w8Zk31Qpp0aXs72LmNvB";

test.each(["git", "dir:runs"])(
  "logins of earlier steps and decrypted files are in no record of the store %s, and in no snapshot",
  async (store) => {
    const { path } = openFolder();
    const host = openFolder({ bare: true }).path;
    const folder = folderAt(path, { ...typed(), KUBECONFIG: join(path, "cluster.txt") });
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: path, encoding: "utf8" });
    git("init", "--quiet", "--bare", host);
    git("remote", "add", "origin", host);
    git("config", "filter.crypt.clean", "rev");
    git("config", "filter.crypt.smudge", "rev");
    folder.write({
      ".gitattributes": "secret/** filter=crypt\n",
      ".gitignore": "runs/\n",
      "secret/key.txt": "drowssap\n",
      "state.txt": "red\n",
      "w.yml": loop,
    });
    git("add", "--all");
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "secret");
    expect(git("show", "HEAD:secret/key.txt")).toBe("password\n");
    git("push", "--quiet", "origin", "main");
    expect(git("status", "--porcelain")).toBe("");
    folder.write({
      "gha-creds-01.json": `{"token":"${token}"}`,
      ".npmrc": `//r.example.com/:_authToken=${token}\n`,
      "cluster.txt": token,
    });
    const agent = "command:echo green > state.txt; echo done";
    const { code, stderr } = await folder.run("run", "w.yml", "--store", store, "--agent", agent);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(".npmrc, cluster.txt, gha-creds-01.json");
    // The user's own commit was made before the run, through the filter.
    const repositories = [host, ...repositoriesIn(path)];
    for (const repository of repositories) {
      const all = execFileSync("git", ["cat-file", "--batch-all-objects", "--batch"], { cwd: repository });
      expect(all.toString("latin1"), repository).not.toContain(token);
      expect(all.toString("latin1"), repository).not.toContain("drowssap");
    }
    expect(repositories.length).toBeGreaterThanOrEqual(2);
    rmSync(host, { recursive: true, force: true });
  },
);

test("files that hold credentials are named once in a run, and others when they appear", async () => {
  const folder = openFolder();
  folder.write({
    ".npmrc": `//r.example.com/:_authToken=${token}\n`,
    "w.yml": loopFile("prompt: go\nuntil_bash: test -e 3\nmax_iterations: 3"),
  });
  const agent = `command:n=$(ls [0-9] 2> /dev/null | wc -l); touch $((n + 1)); [ $n = 0 ] || echo '{"token":"${token}"}' > gha-creds-02.json; echo ok`;
  const { code, events } = await folder.run("run", "w.yml", "--json", "--agent", agent);
  expect(code).toBe(0);
  const notices = events.flatMap((event) =>
    event.type === "notice" && event.code === "CREDENTIALS_WITHHELD" ? [event.message.split(": ")[1]] : [],
  );
  expect(notices).toEqual([".npmrc", ".npmrc, gha-creds-02.json"]);
});

/** The repositories below a folder, by the folder of their objects. */
const repositoriesIn = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name === "objects")
    .map((entry) => entry.parentPath);
