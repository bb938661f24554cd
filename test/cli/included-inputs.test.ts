import { expect, test } from "vitest";
import { openFolder } from "../parts/terminal.ts";

const takes = `name: takes
description: d
inputs: { topic: { default: none } }
nodes:
  - { id: shell, bash: 'echo "shell=$INPUTS_TOPIC"' }
  - { id: program, runtime: node, script: "console.log('program=' + process.env.INPUTS_TOPIC)", depends_on: [shell] }
`;

test.each([
  ["{ topic: fish }", "fish"],
  ["{ topic: $plan.output }", "from plan"],
  ["{}", "none"],
])("the programs of an included workflow see its inputs: %s", async (given, seen) => {
  const folder = openFolder();
  const gives = `name: gives\ndescription: d\nnodes:\n  - { id: plan, bash: echo from plan }\n  - { id: b, include: takes, depends_on: [plan], with: ${given} }\n`;
  folder.write({ ".archon/workflows/takes.yaml": takes, ".archon/workflows/gives.yaml": gives });
  const { code, stderr } = await folder.run("run", "gives");
  expect(code).toBe(0);
  expect(stderr).toContain(`shell=${seen}\n`);
  expect(stderr).toContain(`program=${seen}\n`);
});

test.each([
  [".archon/workflows/w.yaml", "Approved"],
  [".github/loops/w.yml", ""],
])("an approval without words in %s says %j", async (file, said) => {
  const folder = openFolder();
  const nodes =
    "  - { id: ask, approval: { message: 'Ship?', capture_response: true } }\n  - { id: ship, depends_on: [ask], bash: 'echo \"said [$ask.output]\"' }\n";
  folder.write({ [file]: `name: w\ndescription: d\ninteractive: true\nnodes:\n${nodes}` });
  expect((await folder.run("run", "w", "--run-id", "bare-00001")).code).toBe(3);
  const { code, stderr } = await folder.run("approve", "bare-00001");
  expect(code).toBe(0);
  expect(stderr).toContain(`said [${said}]`);
});
