import { expect, test } from "vitest";
import { holds, interpolate } from "./expression.ts";

const sight = (ok: boolean) => ({
  ok,
  contexts: {
    inputs: { name: "Ada", list: "[1,2]", "dry-run": "true" },
    steps: { a: { outputs: { n: "1" } } },
  },
});

test.each([
  ["Hi ${{ inputs.name }}, ${{inputs.name}}!", "Hi Ada, Ada!"],
  ["${{ 'a''b''c' }}", "a'b'c"],
  ["${{ '}}' }} and ${{ format('{0}-{1}', 1, true) }}", "}} and 1-true"],
  ["${{ inputs.absent }}|${{ steps.none.outputs.x }}", "|"],
  ["${{ fromJSON(inputs.list)[1] }}", "2"],
  ["${{ inputs.dry-run == 'true' && 'dry' || 'wet' }}", "dry"],
  ["${{ toJSON(steps.a.outputs) }}", '{\n  "n": "1"\n}'],
  ["$HOME ${x} {{ y }}", "$HOME ${x} {{ y }}"],
])("%s becomes %s", (text, value) => {
  expect(interpolate(text, sight(true))).toBe(value);
});

test("an expression that is not closed is refused", () => {
  expect(() => interpolate("${{ inputs.name }", sight(true))).toThrow(/not closed/);
});

test("an unknown context is refused", () => {
  expect(() => interpolate("${{ secrets.token }}", sight(true))).toThrow();
});

test.each<[condition: string | undefined, afterSuccess: boolean, afterFailure: boolean]>([
  [undefined, true, false],
  ["", true, false],
  ["true", true, false],
  ["false", false, false],
  ["always()", true, true],
  ["failure()", false, true],
  ["!cancelled()", true, true],
  ["success() || failure()", true, true],
  ["inputs.name == 'ada'", true, false],
  ["inputs.name == 'always()'", false, false],
  ["${{ failure() && inputs.name != '' }}", false, true],
  ["inputs.absent", false, false],
  ["steps.a.outputs.n == 1", true, false],
])("`if: %s` holds after success: %s, after failure: %s", (condition, afterSuccess, afterFailure) => {
  expect([holds(condition, sight(true)), holds(condition, sight(false))]).toEqual([
    afterSuccess,
    afterFailure,
  ]);
});
