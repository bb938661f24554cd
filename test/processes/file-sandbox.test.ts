import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";
import { runProcess } from "../../src/processes/process.ts";

const hasFiles = (await openIsolation({ environment: {} }).walls()).some(
  ({ name, on }) => name === "files" && on,
);

/** A home folder that is no temporary one, and a checkout in it. */
function homeWith(files: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(homedir(), ".until-green-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ "work/repo/x": "", ...files })) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text, { mode: 0o755 });
  }
  return { home, checkout: join(home, "work/repo") };
}

function openRun({ home, checkout }: { home: string; checkout: string }, more: Record<string, string> = {}) {
  const environment = { PATH: "/usr/bin:/bin", HOME: home, ...more };
  const isolation = openIsolation({ environment, writable: [checkout] });
  return async (script: string) => {
    const { stdout, stderr } = await runProcess({
      command: "bash",
      args: ["-c", script],
      cwd: checkout,
      env: environment,
      signal: new AbortController().signal,
      wrap: (launch) => isolation.wrap(launch),
    });
    return `${stdout}${stderr}`.trim();
  };
}

describe.runIf(hasFiles)("a program behind the file wall", () => {
  test("sees its checkout, and nothing else of the folders above", async () => {
    const place = homeWith({ "work/secret": "x", "other/.git/config": "x", ".ssh/id": "x" });
    const run = openRun(place);
    expect(await run("echo x > made; ls -A .. ../..; cd ~ && ls -A")).not.toMatch(/secret|other|ssh/);
    expect(existsSync(join(place.checkout, "made"))).toBe(true);
  });

  test("starts tools wherever PATH, or a link there, names them, and cannot change them", async () => {
    const place = homeWith({
      ".tools/node/bin/tool": "#!/bin/sh\ncat ~/.tools/node/lib/text",
      ".tools/node/lib/text": "from the library\n",
      ".local/share/pipx/venvs/black/bin/black": "#!/bin/sh\necho black",
      ".local/bin/other": "#!/bin/sh\necho other",
      ".cargo/bin/cargo": "#!/bin/sh\necho cargo",
      ".cargo/credentials.toml": "PLANTED",
    });
    symlinkSync("../share/pipx/venvs/black/bin/black", join(place.home, ".local/bin/black"));
    const bins = [".tools/node/bin", ".local/bin", ".cargo/bin", "gone/bin"].map((name) =>
      join(place.home, name),
    );
    const run = openRun(place, { PATH: [...bins, "/usr/bin", "/bin"].join(":") });
    expect(await run("tool; black; other; cargo; cat ~/.cargo/credentials.toml 2> /dev/null")).toBe(
      "from the library\nblack\nother\ncargo",
    );
    expect(
      await run(
        "for d in ~/.tools/node/bin ~/.local/bin ~/gone/bin; do touch $d/x 2> /dev/null && echo $d; done",
      ),
    ).toBe("");
  });

  test("reads shared caches; what it writes there is the run's, and not what others start", async () => {
    const place = homeWith({ ".npm/shared": "before", ".gradle/caches/x": "x" });
    const run = openRun(place);
    await run(
      "echo after > ~/.npm/shared; echo new > ~/.npm/new; mkdir ~/.gradle/init.d; echo x > ~/.gradle/init.d/x; rm ~/.gradle/caches/x",
    );
    expect(await run("cat ~/.npm/*; ls -A ~/.gradle")).toBe("new\nafter\ncaches");
    expect(readFileSync(join(place.home, ".npm/shared"), "utf8")).toBe("before");
    expect(["new", "../.gradle/init.d"].map((name) => existsSync(join(place.home, ".npm", name)))).toEqual([
      false,
      false,
    ]);
    expect(existsSync(join(place.home, ".gradle/caches/x"))).toBe(true);
  });

  test("has caches of its own while another works", async () => {
    const run = openRun(homeWith({ ".npm/shared": "before" }));
    const [first, second] = await Promise.all([
      run("echo one > ~/.npm/one; sleep 1; ls ~/.npm"),
      run("echo two > ~/.npm/two; sleep 1; ls ~/.npm"),
    ]);
    expect([first, second]).toEqual(["one\nshared", "shared\ntwo"]);
  });

  test("finds temporary files of earlier programs of the run, and of nobody else", async () => {
    const [one, other] = [openRun(homeWith({})), openRun(homeWith({}))];
    const name = `until-green-test-${process.pid}`;
    await one(`echo kept > /tmp/${name}; echo kept > /var/tmp/${name}`);
    expect(await one(`cat /tmp/${name} /var/tmp/${name}`)).toBe("kept\nkept");
    expect(await other(`ls /tmp /var/tmp | grep ${name}`)).toBe("");
    expect([`/tmp/${name}`, `/var/tmp/${name}`].map((path) => existsSync(path))).toEqual([false, false]);
  });

  test("cannot name another folder with git's settings, also after a program beside it has ended", async () => {
    const place = homeWith({ "work/repo/evil/config": "" });
    execFileSync("git", ["init", "--quiet"], { cwd: place.checkout });
    const run = openRun(place);
    const tries = "sleep 2; { echo ../evil > .git/commondir && echo made; } 2> /dev/null; cat .git/commondir";
    expect(await Promise.all([run("true"), run(tries)])).toEqual(["", "."]);
    expect(existsSync(join(place.checkout, ".git/commondir"))).toBe(false);
  });

  test("is refused when its checkout has become a link since the start", async () => {
    const place = homeWith({ "bin/ls": "x" });
    const run = openRun(place);
    await run("true");
    renameSync(place.checkout, join(place.home, "moved"));
    symlinkSync("../bin", place.checkout);
    await expect(run("true")).rejects.toThrow("since a program of the run changed it");
  });
});
