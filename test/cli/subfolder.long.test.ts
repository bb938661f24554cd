import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopFile, openFolder } from "../parts/terminal.ts";

const asking = loopFile(
  "prompt: go\nuntil_bash: test -f missing\nmax_iterations: 3\ninteractive: true\ngate_message: ok?\nprotect: [kept]",
  "interactive: true\n",
);
const agent = ["--agent", "command:pwd >> where; echo changed > kept", "--run-id", "ask-0000aaaa"] as const;

function withPackage() {
  const folder = openFolder();
  mkdirSync(join(folder.path, "pkg"));
  folder.write({ ".github/loops/ask.yml": asking, kept: "top\n", "pkg/kept": "package\n" });
  return folder;
}

test("a run in a subfolder says where its commands run and how to run at the top", async () => {
  const folder = withPackage();
  const { code, stderr } = await folder.run("run", "ask", ...agent, "--cwd", join(folder.path, "pkg"));
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining(
      "until-green: running in the subfolder pkg; to run at the top of the repository, add --cwd ..\n",
    ),
  });
  const top = await folder.run("run", "ask", "--agent", "command:true");
  expect(top.stderr).not.toContain("subfolder");
});

test("a run continues in the folder it was started in, wherever it is answered", async () => {
  const folder = withPackage();
  const read = (path: string) => readFileSync(join(folder.path, path), "utf8");
  await folder.run("run", "ask", ...agent, "--cwd", join(folder.path, "pkg"));
  const { stderr } = await folder.run("approve", "ask-0000aaaa", "once more");
  expect(stderr).toContain(
    "until-green: ask-0000aaaa continues in the subfolder pkg, where it was started\n",
  );
  const [first, second, more] = read("pkg/where").split("\n");
  expect({ second, more }).toEqual({ second: first, more: "" });
  expect([read("kept"), read("pkg/kept")]).toEqual(["top\n", "package\n"]);
});

test("a run that was started at the top continues there from a subfolder", async () => {
  const folder = withPackage();
  await folder.run("run", "ask", ...agent);
  await folder.run("approve", "ask-0000aaaa", "once more", "--cwd", join(folder.path, "pkg"));
  const [first, second] = readFileSync(join(folder.path, "where"), "utf8").split("\n");
  expect(second).toBe(first);
});
