import { fileTools } from "./file-tools.ts";
import { count, numberOf, run, text, type Workshop, type WorkTool, wordOf, yes } from "./work-tool.ts";

/** The agent's work tools, by name. The shell does not get any keys. */
export const workTools: Readonly<Record<string, WorkTool>> = {
  ...fileTools,
  bash: {
    description:
      "Runs a bash command in the workspace and answers what it prints, with its exit code. With `background` it answers at once; look after the command with `job`.",
    properties: {
      command: text("Bash source."),
      timeout_seconds: count("The default is 600."),
      background: yes("For servers and watchers: let it run until the turn ends."),
    },
    required: ["command"],
    async use(input, context) {
      const command = wordOf(input, "command");
      if (input["background"] === true) return inBackground(command, context);
      const seconds = Math.max(1, numberOf(input, "timeout_seconds") ?? 600);
      const end = await run({ command: "bash", args: ["-c", command], seconds }, context);
      return `${end.output}\n(${end.how === "timed-out" ? `ended after ${seconds} s` : exitOf(end)})`;
    },
  },
  job: {
    description: "Shows what a background command has printed since you last looked, or ends it.",
    properties: { name: text("As bash named it."), stop: yes("End it."), wait_seconds: count("Wait first.") },
    required: ["name"],
    async use(input, { background, signal, onSound }) {
      const name = wordOf(input, "name");
      const seconds = Math.min(60, numberOf(input, "wait_seconds") ?? 0);
      if (seconds > 0) await background.wait(name, { ms: seconds * 1000, signal });
      onSound();
      if (input["stop"] === true) await background.stop(name);
      return background.look(name);
    },
  },
  plan: {
    description:
      "Keeps your plan for this task in view: the whole list of steps each time, with what is done. Use it for tasks of more than three steps.",
    properties: {
      steps: {
        type: "array",
        description: "The steps, in order.",
        items: {
          type: "object",
          properties: {
            step: text("What is to do."),
            state: { type: "string", enum: ["open", "doing", "done"] },
          },
          required: ["step", "state"],
        },
      },
    },
    required: ["steps"],
    async use(input) {
      const steps = Array.isArray(input["steps"]) ? input["steps"] : [];
      const lines = steps.map(({ step, state }) => `${marks[String(state)] ?? "[ ]"} ${String(step)}`);
      return lines.join("\n") || "(no steps)";
    },
  },
};

const marks: Readonly<Record<string, string>> = { open: "[ ]", doing: "[>]", done: "[x]" };

function inBackground(command: string, workshop: Workshop): string {
  const name = workshop.background.start(command, async (signal, onText) => {
    const end = await run({ command: "bash", args: ["-c", command], onText }, { ...workshop, signal });
    return exitOf(end);
  });
  return `${name} is running; look at what it prints with the tool job`;
}

const exitOf = ({ exitCode, signal }: { readonly exitCode?: number; readonly signal?: string }) =>
  `exit code ${exitCode ?? signal ?? "?"}`;
