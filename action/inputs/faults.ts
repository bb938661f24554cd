type Given = Readonly<Record<string, string>>;

/** What is wrong with inputs that are right by themselves but do not go together; a sentence for each. */
export function inputFaults(given: Given): readonly string[] {
  const has = (name: string) => Boolean(given[name]) && given[name] !== "false";
  const inline = has("prompt") || has("prompt-file");
  const command = given["command"]?.trim() || "run";
  const wrongItem = itemFaults(command, given);
  if (wrongItem.length > 0) return wrongItem;
  const faults = runFaults(command, given["run-id"] ?? "");
  if (faults !== undefined) return faults;
  const check = command === "check";
  const rules: readonly (readonly [boolean, string])[] = [
    [
      !check && !inline && !has("workflow"),
      "there is nothing to run: give `workflow`, or an inline loop with `prompt` (or `prompt-file`) and `until-bash` or `until`",
    ],
    [inline && has("workflow"), "`workflow` and `prompt` exclude each other: leave one of them out"],
    [
      has("prompt") && has("prompt-file"),
      "`prompt` and `prompt-file` exclude each other: leave one of them out",
    ],
    [
      inline && !check && !has("until") && !has("until-bash"),
      "the inline loop has no end: give `until-bash` (a check), or `until` (a word the agent says)",
    ],
    [
      has("agent") && has("agent-command"),
      "`agent` and `agent-command` exclude each other: `agent-command: CMD` is short for `agent: command:CMD`",
    ],
    ...inlineOnly.map(
      (name) =>
        [
          has(name) && !inline,
          `\`${name}\` belongs to an inline loop, and there is no \`prompt\`: write it into the workflow file instead`,
        ] as const,
    ),
    [inline && check, "`command: check` reads workflow files: leave `prompt` and `prompt-file` out"],
  ];
  return rules.flatMap(([broken, sentence]) => (broken ? [sentence] : []));
}

const inlineOnly = ["until", "until-bash", "max-iterations", "fresh-context", "protect"];

/** One item is run or resumed, all of them are published. */
function itemFaults(command: string, given: Given): readonly string[] {
  const { item = "", items = "" } = given;
  const of = given["run-id"]?.trim() ?? "";
  const isOne = /^[a-z0-9][a-z0-9-]{5,53}$/.test(of);
  const rules: readonly (readonly [boolean, string])[] = [
    [
      item !== "" && command !== "run" && command !== "resume",
      "`item` is for jobs that run or resume one item of a run: leave it out, or say `items: N`",
    ],
    [items !== "" && command !== "publish", "`items` is for `command: publish`, which joins that many items"],
    [
      (item !== "" || items !== "") && !isOne,
      "an item needs `run-id`, the id of the run that all items share: 6 to 54 small letters, digits and hyphens",
    ],
    [Number(item) > 9_999, `\`item: ${item.slice(0, 20)}\` is more than the 9999 items a run may have`],
    [
      Number(items) > mostItems,
      `\`items: ${items.slice(0, 20)}\` is more than the ${mostItems} jobs of a matrix`,
    ],
  ];
  return rules.flatMap(([broken, sentence]) => (broken ? [sentence] : []));
}

const mostItems = 256;

/** Of the commands that need no workflow; `undefined` for those that do. */
function runFaults(command: string, run: string): readonly string[] | undefined {
  if (command === "comment" || command === "sweep") return [];
  if (command === "publish") {
    const needed =
      "`command: publish` publishes the work of a run: give its `run-id`, from the output of the job that ran it";
    return run === "" ? [needed] : [];
  }
  if (/^[a-z0-9-]+(\s+[a-z0-9-]+)+$/.test(run.trim()))
    return ["`run-id` names several runs, which only `command: publish` takes: name one"];
  if (command !== "resume") return undefined;
  // One step may both begin runs and go on with them: what belongs to a new one is passed over.
  return run === "" ? ["`command: resume` needs `run-id`: say which run is to go on"] : [];
}
