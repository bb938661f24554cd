import { expect, test } from "vitest";
import { stage } from "../parts/stage.ts";

const loop = (more = "") => `
name: t
nodes:
  - id: fix
    loop: { prompt: Fix it., until: DONE, max_iterations: 3${more} }
`;

test("an agent that left something running reads about it in its next iteration, and only there", async () => {
  const it = stage(loop(), {
    agent: (_, call) =>
      call === 1
        ? { text: "I wait.", left: ["npm test"], note: "Tests run." }
        : call === 3
          ? "<promise>DONE</promise>"
          : "ok",
  });
  await it.begin();
  const [first, second, third] = it.prompts.map(({ prompt }) => prompt);
  expect(first).not.toContain("npm test");
  expect(second).toContain("Your note from the iteration before:\nTests run.\n\n");
  expect(second).toMatch(
    /These processes were still running when your last turn ended, and were killed.*\n- npm test$/,
  );
  expect(third).not.toContain("npm test");
});

test("commands left running, and notices of the agent's program, are reported", async () => {
  const notice = { code: "SESSION_LOST", message: "it goes on from a digest" };
  const it = stage(loop(", on_max: succeed"), {
    agent: () => ({ text: "ok", left: ["npm test", "sleep 9"], notices: [notice] }),
  });
  await it.begin();
  const notices = it.events.filter(({ type }) => type === "notice");
  expect(notices[0]).toMatchObject({ ...notice, path: "/fix#1" });
  expect(notices[1]).toMatchObject({ code: "LEFT_RUNNING", path: "/fix#1" });
  expect(notices[1]).toHaveProperty("message", expect.stringContaining("npm test; sleep 9"));
});
