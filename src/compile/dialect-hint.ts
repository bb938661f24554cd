import type { Fault } from "../plan/diagnostic.ts";
import { nearestWord } from "../ports/nearest-word.ts";

const marks: readonly string[] = ["nodes", "steps", "blocks", "loops"];

/** The fault for a document that no dialect claims, with a hint on how to make it a workflow. */
export function noDialectFault(document: unknown): Fault {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    const message = "A workflow file contains a mapping with `name` and `nodes`.";
    const hint = Array.isArray(document)
      ? "Write `name: x` above the list, and the list under `nodes:`."
      : "`until-green init` writes a first one.";
    return { code: "BAD_VALUE", message, at: [], hint };
  }
  const foreign = foreignFault(document);
  if (foreign !== undefined) return foreign;
  const [slip] = Object.keys(document)
    .slice(0, 100)
    .flatMap((key) => {
      const near = nearestWord(key, marks);
      return near === undefined ? [] : [{ key, near }];
    });
  return {
    code: "UNKNOWN_DIALECT",
    message: "The format of this file is unknown.",
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

/** Recognizes other kinds of files, which we do not read, by their top-level keys. */
function foreignFault(document: object): Fault | undefined {
  if ("jobs" in document) {
    const hint = "Loops are in .github/loops/ and have `nodes:`; check this file with actionlint.";
    return foreign("jobs", "This is a GitHub Actions workflow, not a loop.", hint);
  }
  if ("steps" in document && "config" in document) {
    const message = "This looks like a template of mcp-cli's first version, which is not supported.";
    const hint =
      "Write it as a workflow of its second version: `$schema: workflow/v2.0`, and steps with `run`.";
    return foreign("config", message, hint);
  }
  if ("steps" in document && Array.isArray(document.steps)) {
    const message = "These are steps of Archon's first versions, which Archon no longer reads either.";
    const hint =
      "Write `nodes:`, below it `- id: plan` with `command: plan`, and `depends_on: [plan]` on the next one.";
    return foreign("steps", message, hint);
  }
  const inner = ["loop", "prompt", "until_bash", "bash"].find((key) => key in document);
  if (inner === undefined) return undefined;
  const hint =
    "A loop is a node: write `nodes:`, below it `- id: fix`, and below that `loop:` with its keys.";
  return foreign(inner, `\`${inner}\` cannot be at the top of a workflow.`, hint);
}

const foreign = (key: string, message: string, hint: string): Fault => ({
  code: "UNKNOWN_DIALECT",
  message,
  at: [key],
  onKey: true,
  hint,
});
