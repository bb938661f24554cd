import { expect, test } from "vitest";
import { labelsOf, stepNamed } from "../../src/engine/node-labels.ts";
import { planOf } from "../parts/stage.ts";

const steps = `name: w
includes: { part: child }
steps:
  - { id: plain }
  - { id: until, loop: { maxIterations: 3, steps: [{ id: inner }] } }
  - { id: each, loop: { forEach: [1, 2], steps: [{ id: inner }] } }
  - { id: all, loop: { forEach: [1, 2] } }
  - { id: inc, include: part }
  - { id: outer, loop: { maxIterations: 2, steps: [{ id: inc, include: part }] } }
`;
const child = `name: child
steps:
  - { id: each, loop: { maxIterations: 2 } }
  - { id: until, loop: { forEach: [1, 2], steps: [{ id: inner }] } }
`;

test.each([
  ["/plain", "plain"],
  ["/plain~2", "plain"],
  ["/until#2", "until.1"],
  ["/until#12/inner", "until.11.inner"],
  ["/until~2#3/inner~4", "until.2.inner"],
  ["/until#2?1", "until.judge"],
  ["/until#2?12~3", "until.judge"],
  ["/each#1", "each[0]"],
  ["/each#12/inner", "each[11].inner"],
  ["/all#2", "all[1]"],
  ["/inc/each#2", "inc.each.1"],
  ["/inc/until#1/inner", "inc.until[0].inner"],
  ["/inc/until#1/inner!snapshot", "inc.until[0].inner"],
  ["/outer#1/inc/until#2", "outer.0.inc.until[1]"],
  ["/until#2/inner!coordinator", "coordinator"],
])("in a file of steps, %s is called %s", (path, label) => {
  expect(labelsOf(planOf(steps, { child }))(path)).toBe(label);
});

test.each([
  ["/fix#2/test~3", "fix#2/test"],
  ["/fix#2?1", "fix#2?1"],
])("in a file of nodes, %s is called %s", (path, label) => {
  expect(labelsOf(planOf("name: w\nnodes: [{ id: fix, prompt: p }]\n"))(path)).toBe(label);
});

test.each([
  ["fix", "fix"],
  ["/fix#2/test", "test"],
  ["fix#12", "fix"],
  ["each[12].inner", "inner"],
  ["each[0]", "each"],
  ["each[12]", "each"],
  ["fix.v2", "v2"],
  ["until.11.inner", "inner"],
  ["until.11", "until"],
  ["7", "7"],
  ["v2", "v2"],
  ["2nd", "2nd"],
  ["", ""],
])("%s names the step %s", (name, step) => {
  expect(stepNamed(name)).toBe(step);
});
