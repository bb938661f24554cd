type Given = Readonly<Record<string, string>>;

/** What is wrong with inputs that are right by themselves but do not go together; a sentence for each. */
export function inputFaults(given: Given): readonly string[] {
  const has = (name: string) => Boolean(given[name]) && given[name] !== "false";
  const inline = has("prompt") || has("prompt-file");
  const command = given["command"]?.trim() || "run";
  const check = command === "check";
  if (command === "publish") {
    const needed =
      "`command: publish` publishes the work of a run: give its `run-id`, from the output of the job that ran it";
    return has("run-id") ? [] : [needed];
  }
  if (command === "resume") {
    // One step may both begin runs and go on with them: what belongs to a new one is passed over.
    const needed = "`command: resume` needs `run-id`: say which run is to go on";
    return has("run-id") ? [] : [needed];
  }
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
