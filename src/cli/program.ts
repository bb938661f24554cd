import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { help, version } from "./help.ts";

/** Runs one command line and answers with its exit code; prints what went wrong. */
export async function main(words: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exit.ok;
  const program = build((ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(commandFirst(words), { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exit.ok;
    const { explain } = await import("./explain.ts");
    return explain(asOurs(error), { json: optionsOf(words).includes("--json") });
  }
}

const asOurs = (error: unknown) =>
  error instanceof CommanderError ? new UsageError(error.message.replace(/^error: /, "")) : error;

const optionsOf = (words: readonly string[]) =>
  words.includes("--") ? words.slice(0, words.indexOf("--")) : words;

/** Options may stand before the command too: here they are put behind it. */
function commandFirst(words: readonly string[]): readonly string[] {
  let at = 0;
  while (/^-(?!-?(?:h|help|V|version)$)/.test(words[at] ?? ""))
    at += takesValue.test(words[at] ?? "") ? 2 : 1;
  if (at > 0 && at >= words.length)
    throw new UsageError("say which command: `until-green --help` names them");
  return [...words.slice(at, at + 1), ...words.slice(0, at), ...words.slice(at + 1)];
}

const takesValue = /^--(?:cwd|store)$/;

type Done = (code: ExitCode) => void;

function build(done: Done): Command {
  const program = new Command("until-green");
  // What is wrong is said in one place, in the same way for every command: by `explain`.
  program.configureOutput({ outputError: () => undefined });
  program.exitOverride().helpCommand(false).showSuggestionAfterError(true).version(version);
  program.helpInformation = () => help;
  program.hook("preAction", (_, command) => assertFolder(command.opts()["cwd"]));
  addRun(program, done);
  addDecisions(program, done);
  addReaders(program, done);
  addHelpers(program, done);
  return program;
}

function assertFolder(cwd = "."): void {
  if (isFolder(cwd)) return;
  const here = "the folder this was started in is gone: go to another, or give --cwd DIR";
  throw new UsageError(cwd === "." ? here : `--cwd ${cwd}: there is no such folder`);
}

function isFolder(path: string): boolean {
  try {
    // In a folder that was deleted nothing can be resolved.
    return statSync(resolve(path)).isDirectory();
  } catch {
    return false;
  }
}

/** A command with the options all commands share. */
function common(program: Command, usage: string, description: string): Command {
  return program
    .command(usage)
    .description(description)
    .exitOverride()
    .option("--json", "events on standard output, one JSON object a line")
    .option("--quiet", "no progress")
    .option("--cwd <dir>", "work there");
}

const kept = (program: Command, usage: string, description: string) =>
  common(program, usage, description).option(
    "--store <store>",
    "where runs are kept: memory, dir:PATH, git[:REMOTE] or bundle:FILE",
  );

const positive = (text: string): number => {
  const number = Number(text);
  if (!(number > 0) || !Number.isFinite(number))
    throw new InvalidArgumentError("It must be a number above 0.");
  return number;
};

const wholePositive = (text: string): number => {
  const number = positive(text);
  if (!Number.isInteger(number)) throw new InvalidArgumentError("It must be a whole number.");
  return number;
};

const gather = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

function addRun(program: Command, done: Done): void {
  kept(program, "run [workflow] [message...]", "run a workflow, or an inline loop")
    .addOption(new Option("-i, --input <key=value>", "an input of the workflow").argParser(gather))
    .option("--agent <name>", "who works")
    .option("--model <name>", "the model")
    .option("--run-id <id>", "the run's id")
    .addOption(new Option("--max-cost-usd <n>", "the most it may cost").argParser(positive))
    .addOption(new Option("--max-tokens <n>", "the most tokens it may use").argParser(wholePositive))
    .addOption(new Option("--max-minutes <n>", "pause after this time").argParser(positive))
    .option("--dry-run", "show the plan, run nothing")
    .option("--prompt <text>", "what the agent is asked in each iteration; @FILE reads it from a file")
    .option("--until <signal>", "the word the agent says when it is done")
    .option("--until-bash <cmd>", "the check that says when it is done")
    .addOption(new Option("--max-iterations <n>", "the most iterations").argParser(wholePositive))
    .option("--fresh-context", "each iteration a new conversation")
    .addOption(new Option("--protect <glob>", "paths the agent may not change").argParser(gather))
    .action(async (workflow: string | undefined, message: string[], options) => {
      done(await (await import("./run.ts")).runCommand({ workflow, message: message.join(" "), options }));
    });
  kept(program, "resume <run-id>", "go on with a run")
    .addOption(new Option("--max-minutes <n>", "pause after this time").argParser(positive))
    .action(async (runId: string, options) => {
      done(await (await import("./resume.ts")).resumeCommand(runId, options));
    });
}

function addDecisions(program: Command, done: Done): void {
  for (const name of ["approve", "reject", "cancel"] as const) {
    const command = kept(program, `${name} <run-id> [text...]`, `${name} a run`);
    if (name !== "cancel") command.option("--gate <path>", "which gate, where several are open");
    command.action(async (runId: string, text: string[], options) => {
      done(await (await import("./decide.ts")).decideCommand({ name, runId, text: text.join(" "), options }));
    });
  }
  kept(program, "tell <run-id> <step> <text...>", "put a message into a step's inbox").action(
    async (...[runId, step, text, options]) => {
      done(
        await (await import("./decide.ts")).decideCommand({
          name: "tell",
          runId,
          step,
          text: text.join(" "),
          options,
        }),
      );
    },
  );
}

function addReaders(program: Command, done: Done): void {
  kept(program, "status <run-id>", "how a run stands").action(async (runId: string, options) => {
    done(await (await import("./status.ts")).statusCommand(runId, options));
  });
  kept(program, "list", "the runs kept here")
    .addOption(new Option("--prune <days>", "first delete what ended so long ago").argParser(positive))
    .action(async (options) => {
      done(await (await import("./list.ts")).listCommand(options));
    });
  kept(program, "report <run-id>", "a report of a run")
    .addOption(new Option("--format <format>").choices(["markdown", "html"]).default("markdown"))
    .option("--out <file>", "write it there")
    .action(async (runId: string, options) => {
      done(await (await import("./report.ts")).reportCommand(runId, options));
    });
  common(program, "check <file...>", "diagnostics of workflow files").action(
    async (files: string[], options) => {
      done(await (await import("./check.ts")).checkCommand(files, options));
    },
  );
  common(program, "plan <file>", "what a workflow would do")
    .addOption(new Option("--format <format>").choices(["text", "json", "mermaid"]).default("text"))
    .action(async (file: string, options) => {
      done(await (await import("./plan.ts")).planCommand(file, options));
    });
}

function addHelpers(program: Command, done: Done): void {
  common(program, "convert <file>", "a workflow as a native file")
    .option("--out <file>", "write it there")
    .action(async (file: string, options) => {
      done(await (await import("./convert.ts")).convertCommand(file, options));
    });
  common(program, "init", "write a first workflow").action(async (options) => {
    done(await (await import("./init.ts")).initCommand(options));
  });
  kept(program, "doctor", "look whether everything needed is here").action(async (options) => {
    done(await (await import("./doctor.ts")).doctorCommand(options));
  });
  common(program, "demo", "watch a loop fix a small project")
    .option("--agent <name>", "a real agent instead of the recorded one")
    .action(async (options) => {
      done(await (await import("./demo.ts")).demoCommand(options));
    });
}
