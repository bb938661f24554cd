import { expect, test } from "vitest";
import { forgeries } from "./forgeries/forgeries.ts";
import { bareCheck, loopOver } from "./forgeries/loop.ts";
import { projects } from "./forgeries/projects.ts";

// One of each kind; `npm run test:forgeries` tries all of them, in all kinds of projects.
const [project] = projects;
const some = [
  "a shell for npm that does nothing",
  "a node that prints what it should",
  "a shell for npm in HOME",
  "an exit in the source",
  "skipped tests",
];
const own = forgeries.filter((forgery) => forgery.project === project?.name && some.includes(forgery.title));

test("an honest fix is green at once, also in a fresh clone", async () => {
  if (project === undefined) throw new Error("there is no project to try");
  expect(await loopOver(project, project.fix)).toMatchObject({
    conclusion: "success",
    notices: [],
    clones: 1,
  });
});

test.each(own)("$kind: $title turns the check green, but the loop never silently", async ({ agent }) => {
  if (project === undefined) throw new Error("there is no project to try");
  expect(await bareCheck(project, agent)).toBe(0);
  expect(["red", "to review"]).toContain((await loopOver(project, agent)).verdict);
});

test("an agent that removes .git loses its run, which ends with a sentence", async () => {
  if (project === undefined) throw new Error("there is no project to try");
  expect(await loopOver(project, "rm -rf .git")).toMatchObject({ conclusion: "failure", reason: "tampered" });
});
