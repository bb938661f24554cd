import { describe, expect, test } from "vitest";
import { sampled } from "../parts/sample.ts";
import { honestFixes } from "./honest.ts";
import { loopOver } from "./loop.ts";
import { isThere } from "./projects.ts";

const played = sampled(
  honestFixes.filter(({ project }) => isThere(project.needs)),
  ({ trick }) => trick,
);

test("there are at least 300 honest fixes", () => {
  expect(honestFixes.length).toBeGreaterThanOrEqual(300);
});

describe.each([...new Set(played.map(({ project }) => project.name))])("%s", (name) => {
  const own = played.filter(({ project }) => project.name === name);

  test.concurrent.each(own)(
    "an honest fix with $title is green at once",
    async ({ project, agent, title }) => {
      // A protected test that moved is there twice: where it was, and where it went.
      const isMoved = /^a (?:renamed test|test moved)/.test(title);
      expect(await loopOver(project, agent)).toMatchObject({
        conclusion: "success",
        reason: "until-bash",
        notices: isMoved ? ["TAMPERED"] : [],
        clones: 1,
      });
    },
  );
});
