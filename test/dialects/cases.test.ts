import { describe, expect, test } from "vitest";
import { casesIn, expectEvents, play } from "./case-files.ts";

describe.each(["steps", "loops"])("the rules of %s files", (dialect) => {
  test.each(casesIn(new URL(`./${dialect}/cases/`, import.meta.url)))("$rule", async (it) => {
    const played = await play(it);
    expect(played.end(), "it ended").toBeDefined();
    expectEvents(played.events, it);
  });
});
