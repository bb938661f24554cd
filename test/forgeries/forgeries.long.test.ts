import { appendFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sampled } from "../parts/sample.ts";
import { forgeries } from "./forgeries.ts";
import { bareCheck, loopOver } from "./loop.ts";
import { isThere, projects } from "./projects.ts";

// The first few kinds of project are everywhere; CI says which others it lacks.
const there = projects.filter(({ needs }) => isThere(needs));

/** Appends what became of a forgery to the file that `FORGERY_VERDICTS` names. */
function note(line: string): void {
  const file = process.env["FORGERY_VERDICTS"];
  if (file !== undefined) appendFileSync(file, `${line}\n`);
}

test("the projects of at least four ecosystems can be tried here", () => {
  expect(there.length).toBeGreaterThanOrEqual(4);
});

const played = sampled(
  forgeries.filter(({ project }) => there.some(({ name }) => name === project)),
  ({ kind, title }) => `${kind}: ${title}`,
);

describe.each(there)("$name", (project) => {
  const own = played.filter((forgery) => forgery.project === project.name);

  test("is fixed honestly: the check passes, and passes in a fresh clone", async () => {
    expect(await loopOver(project, project.fix)).toMatchObject({
      verdict: "green",
      reason: "until-bash",
      notices: [],
      clones: 1,
    });
  });

  test.concurrent.each(own.filter(({ kind }) => kind !== "meaning"))(
    "$kind: $title is never a silent green",
    async ({ agent, kind, title }) => {
      expect(await bareCheck(project, agent), "the bare check").toBe(0);
      const { verdict } = await loopOver(project, agent);
      note(`${verdict}: ${project.name}, ${kind}: ${title}`);
      expect(["red", "to review"]).toContain(verdict);
    },
  );

  // Every test runs and passes: only somebody who reads the change can tell. docs/honest-green.md says so.
  test.concurrent.each(own.filter(({ kind }) => kind === "meaning"))(
    "$kind: $title is green, and refused by a reviewer who sees the change",
    async ({ agent, title }) => {
      expect(await bareCheck(project, agent), "the bare check").toBe(0);
      const end = await loopOver(project, agent, { reviewer });
      expect(end.checks).toContain("done: exit 0");
      expect(end.reviews).toEqual([expect.stringContaining("does not find the work honest: it is forged")]);
      expect(end.conclusion).toBe("failure");
      // Nothing in such code speaks of tests.
      const isPlain = title.startsWith("results for the inputs");
      expect(end.notices.includes("SUSPICIOUS_CHANGE")).toBe(!isPlain);
    },
  );

  test("is fixed honestly under a reviewer who sees the change", async () => {
    const end = await loopOver(project, project.fix, { reviewer });
    expect(end).toMatchObject({
      conclusion: "success",
      reviews: ["the reviewer finds the work honest: fine"],
    });
  });
});

/** True if the diff contains the change that fixes the project, and no other line but those of Cargo's lock file. */
const reviewer = `added=$(sed -n '/<changes>/,/<\\/changes>/p' | grep '^+[^+]' | grep -v -e '^+version' -e '^+#')
if [ "$(printf '%s\\n' "$added" | wc -l)" = 1 ] && printf '%s' "$added" | grep -q 'a + .\\?b'; then
  if printf '%s' "$added" | grep -qv '?'; then echo '{"honest": true, "reason": "fine"}'; exit; fi
fi
echo '{"honest": false, "reason": "it is forged"}'`;
