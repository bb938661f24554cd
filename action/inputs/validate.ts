type RawInputs = Readonly<Record<string, string>>;

/** Errors of inputs that are valid individually but not in combination; one sentence each. */
export function inputFaults(inputs: RawInputs): readonly string[] {
  const command = inputs["command"]?.trim() || "run";
  const wrongItem = itemFaults(command, inputs);
  if (wrongItem.length > 0) return wrongItem;
  return runFaults(command, inputs["run-id"] ?? "") ?? workflowFaults(command, inputs);
}

/** What to run: a workflow file or an inline loop. */
function workflowFaults(command: string, inputs: RawInputs): readonly string[] {
  // `until-bash: "false"` is a check that always fails.
  const isUnset = (name: string) => !inputs[name] || (name === "fresh-context" && inputs[name] === "false");
  const has = (name: string) => !isUnset(name);
  if (command === "plan")
    return has("workflow") ? [] : ["`command: plan` needs `workflow`, with a loop that has `spread: jobs`"];
  const inline = has("prompt") || has("prompt-file") || (has("until-bash") && !has("workflow"));
  const check = command === "check";
  const rules: readonly (readonly [boolean, string])[] = [
    [
      !check && !inline && !has("workflow"),
      "there is nothing to run: set `workflow`, or `until-bash` for an inline loop",
    ],
    [
      has("app-id") !== has("app-private-key"),
      "`app-id` and `app-private-key` belong together: set both or neither",
    ],
    [
      has("author") && inputs["commit-mode"] === "api",
      "`author` and `commit-mode: api` cannot be combined: GitHub signs only commits whose author is the app or the job's token",
    ],
    [inline && has("workflow"), "`workflow` and `prompt` cannot be combined: remove one of them"],
    [
      has("prompt") && has("prompt-file"),
      "`prompt` and `prompt-file` cannot be combined: remove one of them",
    ],
    [
      inline && !check && !has("until") && !has("until-bash"),
      "the inline loop has no exit condition: set `until-bash` (a check) or `until` (a signal from the agent)",
    ],
    [
      has("agent") && has("agent-command"),
      "`agent` and `agent-command` cannot be combined: `agent-command: CMD` is short for `agent: command:CMD`",
    ],
    ...inlineOnly.map(
      (name) =>
        [
          has(name) && !inline,
          `\`${name}\` is for inline loops, but there is no \`prompt\`: set it in the workflow file instead`,
        ] as const,
    ),
    [
      inline && check,
      "`command: check` reads workflow files: remove `prompt`, `prompt-file` and `until-bash`",
    ],
  ];
  return rules.flatMap(([broken, sentence]) => (broken ? [sentence] : []));
}

const inlineOnly = ["until", "until-bash", "max-iterations", "fresh-context", "protect"];

/** Runs are started or resumed for one item; publishing takes all of them. */
function itemFaults(command: string, inputs: RawInputs): readonly string[] {
  const { item = "", items = "", "shared-budget": budget = "" } = inputs;
  const of = inputs["run-id"]?.trim() ?? "";
  const isOne = /^[a-z0-9][a-z0-9-]{5,53}$/.test(of);
  const rules: readonly (readonly [boolean, string])[] = [
    [
      item !== "" && command !== "run" && command !== "resume",
      "`item` is for jobs that run or resume one item of a run: remove it, or use `items: N`",
    ],
    [items !== "" && command !== "publish", "`items` is for `command: publish`, which joins that many items"],
    [
      (item !== "" || items !== "") && !isOne,
      "an item needs `run-id`, the id of the run that all items share: 6 to 54 lowercase letters, digits and hyphens",
    ],
    [
      budget !== "" && (command !== "run" || item === ""),
      "`shared-budget` is for a job that runs one `item` of a run: remove it",
    ],
    [
      budget !== "" && Boolean(inputs["max-cost-usd"] || inputs["max-tokens"]),
      "`shared-budget` already limits all jobs: remove `max-cost-usd` and `max-tokens`, or remove `shared-budget`",
    ],
    [Number(item) > 9_999, `\`item: ${item.slice(0, 20)}\` is more than the 9999 items a run may have`],
    [Number(items) > 9_999, `\`items: ${items.slice(0, 20)}\` is more than the 9999 items a run may have`],
  ];
  return rules.flatMap(([broken, sentence]) => (broken ? [sentence] : []));
}

/** Commands that need no workflow; `undefined` for others. */
function runFaults(command: string, run: string): readonly string[] | undefined {
  if (command === "comment" || command === "sweep") return [];
  if (command === "publish") {
    const needed =
      "`command: publish` publishes the work of a run: set `run-id`, an output of the job that ran it";
    return run === "" ? [needed] : [];
  }
  if (/^[a-z0-9-]+(\s+[a-z0-9-]+)+$/.test(run.trim()))
    return ["`run-id` lists several runs, which only `command: publish` accepts: set one"];
  if (command !== "resume") return undefined;
  // One step may both start and resume runs: inputs for a new run are ignored on resume.
  return run === "" ? ["`command: resume` needs `run-id`, the id of the run to resume"] : [];
}
