import { platform } from "node:os";
import { afterAll, expect, test } from "vitest";
import { openScene, type Scene } from "./escape-scene.ts";

const scenes: Scene[] = [];
afterAll(() => {
  for (const scene of scenes) scene.close();
});

test.runIf(platform() === "linux").each(["auto", "off"])(
  "with isolation %s, a pipe that an agent left under a new test's name does not hold a check without a time limit",
  async (isolation) => {
    const scene = await openScene();
    scenes.push(scene);
    const check = "touch done; cat loot/*.test.js || true; echo over";
    const { code, stdout } = await scene.run("mkfifo loot/b.test.js", isolation, "--until-bash", check);
    expect(stdout).toContain("the program waited for the named pipe loot/b.test.js");
    expect(code, stdout).toBe(0);
  },
);
