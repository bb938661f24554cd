import { expect, test } from "vitest";
import { loopFile, openFolder } from "../parts/terminal.ts";

const agent = ["--agent", "command:cat >/dev/null; echo done"];
const scripts = [
  ["a line before the last", "false\ntrue"],
  ["a stage of a pipe", "false | cat"],
] as const;

test.each(scripts)("%s that fails makes a check red", async (_what, script) => {
  const folder = openFolder();
  folder.write({ "w.yml": loopFile(`prompt: go\nmax_iterations: 1\nuntil_bash: ${JSON.stringify(script)}`) });
  expect((await folder.run("run", "w.yml", ...agent)).code).toBe(1);
  const inline = ["--until-bash", script, "--max-iterations", "1"];
  expect((await folder.run("run", ...inline, ...agent)).code).toBe(1);
});

test.each(scripts)("%s that fails makes a bash node fail", async (_what, script) => {
  const folder = openFolder();
  folder.write({ "w.yml": `name: t\nnodes:\n  - { id: a, bash: ${JSON.stringify(script)} }\n` });
  expect((await folder.run("run", "w.yml")).code).toBe(1);
});

test.each(scripts)("%s that fails makes a metric no number", async (_what, script) => {
  const folder = openFolder();
  const metric = JSON.stringify(`${script}\necho 3`);
  folder.write({
    "w.yml": loopFile(`prompt: go\nmax_iterations: 1\non_max: succeed\nkeep: best\nmetric: ${metric}`),
  });
  const { events } = await folder.run("run", "w.yml", "--json", ...agent);
  expect(events).toContainEqual(expect.objectContaining({ type: "notice", code: "NO_METRIC" }));
});

test.each(scripts)("%s that fails makes the setup of a fresh clone fail", async (_what, script) => {
  const folder = openFolder();
  const setup = JSON.stringify(`test ! -f done || { ${script}\n}`);
  const keys = `prompt: go\nmax_iterations: 1\nuntil_bash: test -f done\ncheck: { clean: on, setup: ${setup} }`;
  folder.write({ "w.yml": loopFile(keys) });
  const { events } = await folder.run("run", "w.yml", "--json", "--agent", "command:touch done");
  const because = expect.stringContaining("its setup failed");
  expect(events).toContainEqual(expect.objectContaining({ type: "stop.tested", verdict: "go-on", because }));
});

test.each(scripts)("%s that fails changes nothing in a file of Archon's folder", async (_what, script) => {
  const folder = openFolder();
  const bash = `name: t\nnodes:\n  - { id: a, bash: ${JSON.stringify(script)} }\n`;
  folder.write({ ".archon/workflows/w.yml": bash, "u.yml": "name: u\nnodes: [{ id: b, include: w }]\n" });
  expect((await folder.run("run", ".archon/workflows/w.yml")).code).toBe(0);
  expect((await folder.run("run", "u.yml")).code).toBe(0);
});

test("a missing program in a pipe breaks the check before an agent is paid", async () => {
  const folder = openFolder();
  const { code, events } = await folder.run(
    "run",
    "--until-bash",
    "no-such-program | cat",
    ...agent,
    "--json",
  );
  expect(code).toBe(1);
  expect(events.at(-1)).toMatchObject({ stop_reason: "check-unevaluable", iterations: 0 });
});

test("a check that a pipe ended early is broken, and says why", async () => {
  const folder = openFolder();
  const { events } = await folder.run("run", "--until-bash", "yes | head -1", ...agent, "--json");
  expect(events.at(-1)).toMatchObject({
    stop_reason: "check-unevaluable",
    because: expect.stringContaining("a program in a pipe wrote more than the next one read"),
  });
});

test.each([
  ["", "npm test", 0],
  ["", "make && npm test || exit 1", 0],
  ["", "if make; then npm test; else exit 1; fi", 0],
  ["", "case $1 in a|b) npm test ;; *) exit 1 ;; esac", 0],
  ["", "npm test # lint; then | more", 0],
  ["", "grep -q 'a;b|c' x || echo \"d;e|f\"", 0],
  ["", 'test "$(cat a | wc -l)" = 3', 0],
  ["", "npm test \\\n  --coverage &&\n  npm run lint", 0],
  ["", "cat <<END\na; b | c\nEND", 0],
  ["", "[[ $1 =~ a|b ]]", 0],
  ["", "set -eo pipefail\nnpm run lint\nnpm test | tail", 0],
  ["", "set +e +o pipefail; npm run lint; npm test | tail", 0],
  ["a later command", "npm run lint\nnpm test", 1],
  ["a later command", "npm run lint; npm test", 1],
  ["a later command", "(npm run lint; npm test)", 1],
  ["a loop", "for dir in a b; do npm test -w $dir; done", 1],
  ["a later command", "npm start & npm test", 1],
  ["a pipe", "npm test | tail -5", 1],
  ["a pipe", 'total="$(cat a | wc -l)" && test $total = 3', 1],
  ["a pipe", "set -e\nnpm run lint\nnpm test |& tee log", 1],
])("check says whether %s has another meaning than in versions before: %s", async (_what, script, count) => {
  const folder = openFolder();
  const text = loopFile(`prompt: go\nmax_iterations: 1\nuntil_bash: ${JSON.stringify(script)}`);
  folder.write({ "w.yml": text, ".archon/workflows/w.yml": text });
  const { code, stdout, stderr } = await folder.run("check", "w.yml", ".archon/workflows/w.yml");
  expect(`${stdout}${stderr}`.match(/STRICT_SHELL/g)?.length ?? 0).toBe(count);
  expect(code).toBe(0);
});
