import { expect, test } from "vitest";
import { loopFile, openFolder } from "../parts/terminal.ts";

const project = { "test/a.test.js": "1\n", "src/lib/money.js": "1\n", "a.txt": "1\n", "b.txt": "1\n" };
const loop = (lists: string) =>
  loopFile(`prompt: go\nuntil_bash: "true"\nmax_iterations: 2\n${lists}`).trimEnd();

test.each([
  ['protect: ["tets/**"]', "No file matches `tets/**`", "Did you mean `test/**`?"],
  [
    'protect: ["src/libs/money.js"]',
    "No file matches `src/libs/money.js`",
    "Did you mean `src/lib/money.js`?",
  ],
  ["protect: [test]", "No file matches `test`", "Did you mean `test/**`?"],
  ["protect: [money.js]", "No file matches `money.js`", "Did you mean `**/money.js`?"],
  ['protect: ["a.txt, c/**"]', "No file matches `c/**`", "unless such files are created later"],
  ['allow: ["tests/a.test.js"]', "No file matches `tests/a.test.js`", "Did you mean `test/a.test.js`?"],
])("%s, which matches no file, is a warning with a similar path", async (lists, message, hint) => {
  const folder = openFolder();
  folder.write({ ...project, "w.yml": loop(lists) });
  const { code, stderr } = await folder.run("check", "w.yml");
  expect(stderr).toContain("warning GLOB_NO_MATCH");
  expect(stderr).toContain(message);
  expect(stderr).toContain(hint);
  expect(stderr).toContain("1 file without errors");
  expect(code).toBe(0);
});

test.each(['protect: ["./test/", "/a.txt", "**/*.js", "{a,b}.txt"]', 'protect: ["a.txt, b.txt"]'])(
  "%s matches files and causes no warning",
  async (lists) => {
    const folder = openFolder();
    folder.write({ ...project, "w.yml": loop(lists) });
    expect((await folder.run("check", "w.yml")).stderr).toBe("1 file without errors\n");
  },
);

test("globs in one text are refused with the list that they make", async () => {
  const folder = openFolder();
  folder.write({ ...project, "w.yml": loop("protect: a.txt, b/**") });
  const { code, stderr } = await folder.run("check", "w.yml");
  expect(stderr).toContain('`nodes[0].loop.protect` must be a list.\n    A list is written [a.txt, "b/**"].');
  expect(code).toBe(2);
});

test("a run starts with a notice about each glob that matches no file, also of an inline loop", async () => {
  const folder = openFolder();
  folder.write(project);
  const agent = ["--agent", "command:true", "--json"];
  const inline = ["run", "--until-bash", "true", "--protect", "tets/**", "--protect", "new/**"];
  const { events } = await folder.run(...inline, ...agent);
  const notices = events.filter((event) => event.type === "notice" && event.code === "GLOB_NO_MATCH");
  expect(notices.map((event) => "message" in event && event.message)).toEqual([
    expect.stringContaining("`tets/**`"),
    expect.stringContaining("`new/**`"),
  ]);
});

test("two globs in one entry protect both files", async () => {
  const folder = openFolder();
  folder.write({ ...project });
  const agent = ["--agent", "command:echo 2 | tee a.txt b.txt", "--json"];
  const { events } = await folder.run(
    ...["run", "--until-bash", "grep -q 2 b.txt", "--max-iterations", "1", "--protect", "a.txt, b.txt"],
    ...agent,
  );
  expect(events.filter((event) => event.type === "notice")).toMatchObject([
    { message: expect.stringContaining("a.txt, b.txt") },
  ]);
});
