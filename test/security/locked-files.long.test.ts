import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openScene, type Scene } from "./escape-scene.ts";

/*
 * What a program of the run leaves must be taken back even if that program locked it. All of this runs as an ordinary
 * user, because root may read and write everything.
 */

const scenes: Scene[] = [];
afterAll(() => {
  for (const scene of scenes) scene.close();
});

const root = join(import.meta.dirname, "../..");

/** Runs a module as the ordinary user in a checkout; `shell` in it runs a hostile script there. */
async function play(module: string): Promise<string> {
  const scene = await openScene();
  scenes.push(scene);
  const head = `import { execFileSync } from "node:child_process";
    const shell = (script) => execFileSync("bash", ["-c", script], { encoding: "utf8" });
    const from = (path) => import(${JSON.stringify(root)} + "/" + path);`;
  const text = Buffer.from(`${head}\n${module}`).toString("base64");
  return scene.look(
    `echo ${text} | base64 -d > ~/play.mjs; ${JSON.stringify(process.execPath)} ~/play.mjs 2>&1`,
  );
}

const settings = (hostile: string, look: string) =>
  play(`const { keepGitSettings } = await from("src/workspace/keep-git-settings.ts");
    shell("ln -sf .profile ~/.bash_profile; mkdir -p ~/.config/git; echo mine > ~/.config/git/attributes");
    const kept = keepGitSettings(process.cwd(), process.env.HOME);
    shell(${JSON.stringify(hostile)});
    kept.restore();
    process.stdout.write(shell(${JSON.stringify(look)}));`);

test.each([
  ["its folder", "chmod 555 .git/hooks"],
  ["a settings file of the home folder", "echo evil > ~/.bashrc; chmod 000 ~/.bashrc"],
  [
    "a folder in place of a settings file",
    "rm ~/.bashrc; mkdir -p ~/.bashrc/a; touch ~/.bashrc/a/b; chmod 555 ~/.bashrc/a",
  ],
  ["the git folder", "chmod 555 .git"],
])("a hook is taken away at the end of a job even if the run locked %s", async (_, hostile) => {
  const look = "ls .git/hooks/post-checkout 2> /dev/null; grep -c PLANTED ~/.bashrc";
  expect(await settings(`echo evil > .git/hooks/post-checkout; ${hostile}`, look)).toBe("1\n");
});

test("a link among the settings is a link again, and what follows is restored too", async () => {
  const look = "readlink ~/.bash_profile; cat ~/.config/git/attributes; grep -c PLANTED ~/.bashrc";
  const hostile =
    "rm ~/.bash_profile; echo evil > ~/.bash_profile; rm -r ~/.config/git; echo evil > ~/.config/git; echo evil > ~/.bashrc";
  expect(await settings(hostile, look)).toBe(".profile\nmine\n1\n");
});

test.each([
  ["locked", "echo evil > env; chmod 000 env; chmod 555 ."],
  ["a folder that cannot be emptied", "rm env; mkdir -p env/a; touch env/a/b; chmod 555 env/a"],
])("the runner's files are restored even if one is %s", async (_, hostile) => {
  const look = "cat env path; echo; cat event";
  const output = await play(`const { guardRunnerFiles } = await from("action/job/guard-runner-files.ts");
    shell("mkdir files; cd files; echo env > env; echo path > path; echo event > event");
    const at = (name) => process.cwd() + "/files/" + name;
    const env = { GITHUB_ENV: at("env"), GITHUB_PATH: at("path"), GITHUB_EVENT_PATH: at("event") };
    const files = guardRunnerFiles(env);
    shell("cd files; echo evil > path; echo evil > event; " + ${JSON.stringify(hostile)});
    console.log(files.restore().join());
    process.stdout.write(shell("cd files; " + ${JSON.stringify(look)}));`);
  expect(output).toBe("GITHUB_ENV,GITHUB_PATH,GITHUB_EVENT_PATH\nenv\npath\n\nevent\n");
});
