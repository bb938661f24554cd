import type { Fault } from "../plan/diagnostic.ts";
import { nearestWord } from "../ports/nearest-word.ts";

const marks: readonly string[] = ["nodes", "steps", "blocks", "loops"];

/** The fault for a document that no dialect claims, with a hint on how to make it a workflow. */
export function noDialectFault(document: unknown): Fault {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    const message = "A workflow file holds a mapping with `name` and `nodes`.";
    const hint = Array.isArray(document)
      ? "Write `name: x` above the list, and the list under `nodes:`."
      : "`until-green init` writes a first one.";
    return { code: "BAD_VALUE", message, at: [], hint };
  }
  if ("jobs" in document)
    return {
      code: "UNKNOWN_DIALECT",
      message: "This is a GitHub Actions workflow, not a loop.",
      at: ["jobs"],
      onKey: true,
      hint: "Loops are in .github/loops/ and have `nodes:`; check this file with actionlint.",
    };
  if ("steps" in document && "config" in document)
    return {
      code: "UNKNOWN_DIALECT",
      message: "This looks like a template of mcp-cli's first version, which is not supported.",
      at: ["config"],
      onKey: true,
      hint: "Write it as a workflow of its second version: `$schema: workflow/v2.0`, and steps with `run`.",
    };
  const inner = ["loop", "prompt", "until_bash", "bash"].find((key) => key in document);
  if (inner !== undefined)
    return {
      code: "UNKNOWN_DIALECT",
      message: `\`${inner}\` cannot be at the top of a workflow.`,
      at: [inner],
      onKey: true,
      hint: "A loop is a node: write `nodes:`, below it `- id: fix`, and below that `loop:` with its keys.",
    };
  const [slip] = Object.keys(document)
    .slice(0, 100)
    .flatMap((key) => {
      const near = nearestWord(key, marks);
      return near === undefined ? [] : [{ key, near }];
    });
  return {
    code: "UNKNOWN_DIALECT",
    message: "No workflow language is recognised in this file.",
    at: slip === undefined ? [] : [slip.key],
    onKey: true,
    hint:
      slip === undefined
        ? "A workflow has `nodes:`, `steps:`, `blocks:` or `loops:` at its top."
        : slip.near === slip.key
          ? `\`${slip.key}\` is a list: write each one as \`- name: x\`.`
          : `Did you mean \`${slip.near}\` instead of \`${slip.key}\`?`,
  };
}
