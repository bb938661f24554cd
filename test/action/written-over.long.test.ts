import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { build } from "../../scripts/build.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { useOnHost } from "./source.ts";

/** The action as it ships, in a folder that an agent may write to, as it may on a runner. */
async function builtAction(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "action-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp("action.yml", join(folder, "action.yml"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await build(join(folder, "dist"));
  return folder;
}

/** A Node that cannot be told where parts of a program are. */
const withoutHooks =
  'import m, { syncBuiltinESMExports } from "node:module"; m.registerHooks = undefined; syncBuiltinESMExports();';

test.each([
  ["", {}],
  [
    " on an older Node too",
    { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(withoutHooks)}` },
  ],
])(
  "after an agent overwrote every file of the action, the result is still published, and nothing it wrote is run%s",
  async (_, env) => {
    const host = await openGitHubHost({ files: { "state.txt": "red\n", "kept.txt": "as it was\n" } });
    onTestFinished(() => host.close());
    const action = await builtAction();
    const owned = join(action, "owned");
    const evil = `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(owned)}, "x"); throw new Error("written over");`;
    await writeFile(join(action, "evil.js"), evil);
    const agent = `find ${action}/dist -name '*.js' -exec cp ${action}/evil.js {} ';'; echo gone > kept.txt; echo green > state.txt; echo done`;
    const result = await useOnHost({
      host,
      action,
      env,
      inputs: {
        prompt: "Go",
        "until-bash": "grep -qx green state.txt",
        protect: "kept.txt",
        "agent-command": agent,
        publish: "pull-request",
        // Behind the walls it would not find them.
        isolation: "off",
      },
    });
    expect(await readFile(join(action, "dist", "action.js"), "utf8")).toBe(evil);
    expect(result.outputs, result.log.join("\n")).toMatchObject({
      conclusion: "success",
      "pull-request-number": "1",
    });
    expect(host.git.git("diff", "--name-only", "main", "until-green/inline")).toBe("state.txt");
    await expect(readFile(owned)).rejects.toThrow();
  },
);
