import { expect, test } from "vitest";
import { hasAct, runAct } from "../parts/act.ts";
import { checkoutOf, session } from "./checkout.ts";

const checkout = "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8";

test.runIf(hasAct())("another runner of workflows runs the action as it ships", async () => {
  const cwd = await checkoutOf({
    "session.yml": session({ say: "Done.", write: { "state.txt": "green" } }),
    ".github/workflows/loop.yml": `
name: loop
on: workflow_dispatch
jobs:
  loop:
    runs-on: ubuntu-latest
    steps:
      - uses: ${checkout} # v5.0.0
      - id: loop
        uses: until-green/until-green@v1
        with:
          prompt: Make state.txt say green
          until-bash: grep -qx green state.txt
          agent: scripted:session.yml
      - run: echo "it ended as \${{ steps.loop.outputs.conclusion }} after \${{ steps.loop.outputs.iterations }}"
`,
  });
  const { ok, log } = await runAct({
    cwd,
    workflow: ".github/workflows/loop.yml",
    event: "workflow_dispatch",
    actions: { [checkout]: copyOf(cwd) },
  });
  expect(ok, log).toBe(true);
  expect(log).toContain("it ended as success after 1");
});

/** Stands in for the checkout. */
const copyOf = (cwd: string) => `
name: copy
description: Brings the files of the repository
runs: { using: composite, steps: [{ run: "cp -R '${cwd}/.' .", shell: bash }] }
`;
