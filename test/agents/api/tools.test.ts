import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { onePixel, workshop } from "./workshop.ts";

test("read says which lines of how many it shows, where there are more", async () => {
  const { use, at } = workshop();
  writeFileSync(at("long.txt"), Array.from({ length: 5_000 }, (_, line) => `${line + 1}`).join("\n"));
  expect(await use("read", { path: "long.txt" })).toContain("(lines 1 to 2000 of 5000; use offset");
  expect(await use("read", { path: "long.txt", offset: 4_999 })).toMatch(
    /^4999\t4999\n5000\t5000\n\(lines 4999 to 5000/,
  );
  writeFileSync(at("short.txt"), "one\ntwo");
  expect(await use("read", { path: "short.txt" })).toBe("1\tone\n2\ttwo");
});

test("edit keeps the line ends of a file, whatever those of the model are", async () => {
  const { use, at } = workshop();
  writeFileSync(at("a.txt"), "one\r\ntwo\r\nthree\r\n");
  await use("edit", { path: "a.txt", old: "one\ntwo", new: "1\n2" });
  expect(readFileSync(at("a.txt"), "utf8")).toBe("1\r\n2\r\nthree\r\n");
});

test("edit shows the lines nearest to a text that is not there", async () => {
  const { use, at } = workshop();
  writeFileSync(at("a.js"), "function add(a, b) {\n    return a - b;\n}\n");
  const edit = use("edit", { path: "a.js", old: "\treturn a - b;\n}", new: "" });
  await expect(edit).rejects.toThrow("nearest to it are lines 2 to 3:\n    return a - b;\n}");
  await expect(use("edit", { path: "a.js", old: "nothing like it", new: "" })).rejects.toThrow(
    "read the file again",
  );
});

test("glob lists the files that match, and nothing outside or of packages", async () => {
  const { use, at } = workshop();
  for (const folder of ["src/deep", "node_modules/x"]) mkdirSync(at(folder), { recursive: true });
  for (const file of ["src/a.ts", "src/deep/b.ts", "src/c.js", "node_modules/x/d.ts"])
    writeFileSync(at(file), "");
  expect(await use("glob", { pattern: "**/*.ts" })).toBe("src/a.ts\nsrc/deep/b.ts");
  await expect(use("glob", { pattern: "../**/*.ts" })).rejects.toThrow("../**/*.ts leaves the workspace");
});

test("several edits of a file are made together or not at all", async () => {
  const { use, at } = workshop();
  writeFileSync(at("a.txt"), "one two three");
  const [one, three] = [
    { old: "one", new: "1" },
    { old: "three", new: "3" },
  ];
  await use("edit", { path: "a.txt", edits: [one, three] });
  expect(readFileSync(at("a.txt"), "utf8")).toBe("1 two 3");
  const broken = use("edit", { path: "a.txt", edits: [{ old: "two", new: "2" }, three] });
  await expect(broken).rejects.toThrow("edit 2 of 2, nothing is changed: the old text is not in a.txt");
  expect(readFileSync(at("a.txt"), "utf8")).toBe("1 two 3");
});

test("read shows an image as an image, and of another binary file its size", async () => {
  const { use, at } = workshop();
  const bytes = onePixel;
  writeFileSync(at("shot.png"), bytes);
  expect(await use("read", { path: "shot.png" })).toEqual({
    image: bytes.toString("base64"),
    mediaType: "image/png",
  });
  writeFileSync(at("data.bin"), bytes);
  expect(await use("read", { path: "data.bin" })).toBe(`(a binary file of ${bytes.length} bytes)`);
});

test("grep and glob show as much as is asked for, and say how much more there is", async () => {
  const { use, at } = workshop();
  for (let file = 0; file < 30; file += 1) writeFileSync(at(`${file}.txt`), `hit\n${"x".repeat(2_000)}hit\n`);
  writeFileSync(at("other.md"), "hit\n");
  expect(await use("grep", { pattern: "^hit", limit: 3 })).toMatch(/\n… and 28 more: narrow/);
  expect(await use("grep", { pattern: "hit", include: "*.md" })).toBe("other.md:1:hit");
  expect(await use("grep", { pattern: "xhit", limit: 1 })).toMatch(/x…\n… and 29 more/);
  expect(await use("glob", { pattern: "*.txt", limit: 2 })).toMatch(/^0.txt\n1.txt\n… and 28 more/);
});

test("grep leaves out what git ignores and what is binary, unless a path names it, and shows lines around", async () => {
  const { use, at } = workshop();
  execFileSync("git", ["init", "-q"], { cwd: at(".") });
  mkdirSync(at("dist"));
  mkdirSync(at("[id]"));
  writeFileSync(at(".gitignore"), "dist/\n");
  writeFileSync(at("dist/a.js"), "one\n");
  writeFileSync(at("a.ts"), "zero\none\nTwo\n");
  writeFileSync(at("[id]/ö.ts"), "one\n");
  writeFileSync(at("a.bin"), "one\0\n");
  expect(
    String(await use("grep", { pattern: "^one" }))
      .split("\n")
      .toSorted(),
  ).toEqual(["[id]/ö.ts:1:one", "a.ts:2:one"]);
  expect(await use("grep", { pattern: "one", path: "dist" })).toBe("dist/a.js:1:one");
  expect(await use("grep", { pattern: "one", path: "[id]", include: "*.ts" })).toBe("[id]/ö.ts:1:one");
  expect(await use("grep", { pattern: "ONE", path: "a.ts", context: 1, ignore_case: true })).toBe(
    "a.ts-1-zero\na.ts:2:one\na.ts-3-Two",
  );
  expect(await use("grep", { pattern: "never" })).toBe("no line matches");
  await expect(use("grep", { pattern: "(" })).rejects.toThrow(/[Uu]nmatched/);
});

test("output that is too long for a model is cut in its middle, and a file has all of it", async () => {
  const { use } = workshop();
  const output = String(await use("bash", { command: "seq 1 20000" }));
  expect(output).toMatch(/^1\n2\n.*bytes left out.*20000\n/s);
  const [, file = ""] = /\(all of it is in (.*)\)/.exec(output) ?? [];
  expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(20_000);
  expect(await use("bash", { command: "echo short" })).toBe("short\n\n(exit code 0)");
});

test("a background command keeps running, shows its output, and ends on request or with the turn", async () => {
  const { use, background } = workshop();
  const server = "echo ready; read -t 60 line < <(sleep 60); echo never";
  expect(await use("bash", { command: server, background: true })).toMatch(/^job-1 is running/);
  await use("bash", { command: "echo done; exit 3", background: true });
  expect(await use("job", { name: "job-2", wait_seconds: 30 })).toBe("done\n\n(exit code 3)");
  expect(await use("job", { name: "job-1" })).toMatch(/\(still running\)$/);
  expect(await use("job", { name: "job-1", stop: true })).toMatch(/\(ended\)$/);
  await expect(use("job", { name: "job-9" })).rejects.toThrow("there is no job-9; there are job-1, job-2");
  await use("bash", { command: "sleep 60", background: true });
  expect(await background.end()).toEqual(["sleep 60"]);
});

test("a plan is shown as a list of what is open, under way and done", async () => {
  const { use } = workshop();
  const states = ["done", "doing", "open"];
  const steps = states.map((state) => ({ step: `step ${state}`, state }));
  expect(await use("plan", { steps })).toBe("[x] step done\n[>] step doing\n[ ] step open");
});
