import { Command, CommanderError, Option } from "commander";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { help, version } from "./help.ts";
import {
  agentArgs,
  assertFolder,
  gather,
  isolation,
  iterationNumber,
  network,
  patience,
  positive,
  wholePositive,
} from "./option-values.ts";

/** Runs one command line and answers with its exit code; prints what went wrong. */
export async function main(words: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = exit.ok;
  const program = build((ended) => {
    code = ended;
  });
  let ordered = words;
  try {
    ordered = commandFirst(words);
    await program.parseAsync(ordered, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exit.ok;
    const { asUsageError, printError } = await import("./error-message.ts");
    return printError(asUsageError(error, ordered), { json: optionsOf(words).includes("--json") });
  }
}

const optionsOf = (words: readonly string[]) =>
  words.includes("--") ? words.slice(0, words.indexOf("--")) : words;

/** Options may precede the command: they are moved after it. */
function commandFirst(words: readonly string[]): readonly string[] {
  let at = 0;
  while (/^-(?!-?(?:h|help|V|version)$)/.test(words[at] ?? ""))
    at += takesValue.test(words[at] ?? "") ? 2 : 1;
  if (at > 0 && at >= words.length) throw new UsageError("no command given: `until-green --help` lists them");
  return [...words.slice(at, at + 1), ...words.slice(0, at), ...words.slice(at + 1)];
}

const takesValue = /^--(?:cwd|store)$/;

type Done = (code: ExitCode) => void;

function build(done: Done): Command {
  const program = new Command("until-green");
  // What is wrong is said in one place, in the same way for every command: by `printError`.
  program.configureOutput({ outputError: () => undefined });
  program.exitOverride().helpCommand(false).showSuggestionAfterError(true).version(version);
  program.helpInformation = () => help;
  program.hook("preAction", (_, command) => assertFolder(command.opts()["cwd"]));
  addRun(program, done);
  addDecisions(program, done);
  addRepair(program, done);
  addReaders(program, done);
  addSnapshots(program, done);
  addHelpers(program, done);
  return program;
}

/** A command with the options all commands share. */
function common(program: Command, usage: string, description: string): Command {
  return program
    .command(usage)
    .description(description)
    .exitOverride()
    .option("--json", "print events to standard output, one JSON object per line")
    .option("--quiet", "show no progress")
    .option("--cwd <dir>", "the folder to work in");
}

const kept = (program: Command, usage: string, description: string) =>
  common(program, usage, description).option(
    "--store <store>",
    "where runs are kept: memory, dir:PATH, git[:REMOTE] or bundle:FILE",
  );

function addRun(program: Command, done: Done): void {
  kept(program, "run [workflow] [message...]", "run a workflow, or an inline loop")
    .addOption(new Option("-i, --input <key=value>", "an input of the workflow").argParser(gather))
    .option("--agent <name>", "the agent")
    .option("--model <name>", "the model")
    .option("--run-id <id>", "the run's id")
    .addOption(new Option("--max-cost-usd <n>", "maximum cost in US dollars").argParser(positive))
    .addOption(new Option("--max-tokens <n>", "maximum number of tokens").argParser(wholePositive))
    .addOption(new Option("--max-minutes <n>", "pause after this many minutes").argParser(positive))
    .addOption(patience())
    .addOption(isolation())
    .addOption(network())
    .addOption(agentArgs())
    .option("--dry-run", "show the plan, run nothing")
    .option("--prompt <text>", "what the agent is asked in each iteration; @FILE reads it from a file")
    .option("--until <signal>", "the signal the agent gives when it is done")
    .option("--until-bash <cmd>", "the check that says when it is done")
    .addOption(
      new Option("--max-iterations <n>", "the maximum number of iterations").argParser(wholePositive),
    )
    .option("--fresh-context", "start a new conversation in each iteration")
    .addOption(new Option("--protect <glob>", "paths the agent may not change").argParser(gather))
    .action(async (workflow: string | undefined, message: string[], options) => {
      done(await (await import("./run.ts")).runCommand({ workflow, message: message.join(" "), options }));
    });
  kept(program, "resume [run-id]", "resume a run")
    .addOption(
      new Option("--more-iterations <n>", "give a run that used up its iterations this many more").argParser(
        wholePositive,
      ),
    )
    .addOption(new Option("--max-minutes <n>", "pause after this many minutes").argParser(positive))
    .addOption(patience())
    .addOption(isolation())
    .addOption(network())
    .addOption(agentArgs())
    .action(async (runId: string | undefined, options) => {
      done(await (await import("./resume.ts")).resumeCommand(runId, options));
    });
}

function addRepair(program: Command, done: Done): void {
  kept(program, "repair <run-id>", "truncate a damaged log after its last intact line").action(
    async (runId: string, options) => {
      done(await (await import("./repair.ts")).repairCommand(runId, options));
    },
  );
}

function addDecisions(program: Command, done: Done): void {
  for (const name of ["approve", "reject", "cancel"] as const) {
    const command = kept(program, `${name} [run-id] [text...]`, `${name} a run`);
    if (name !== "cancel") command.option("--gate <path>", "which gate, if several are open");
    command.action(async (runId: string | undefined, text: string[], options) => {
      const words = runId === undefined ? [] : [runId, ...text];
      done(await (await import("./answer.ts")).answerCommand(name, words, options));
    });
  }
  kept(program, "tell <run-id> <step> <text...>", "send a message to a step").action(
    async (...[run, step, text, options]) => {
      done(await (await import("./answer.ts")).tellCommand({ run, step, text: text.join(" ") }, options));
    },
  );
}

function addReaders(program: Command, done: Done): void {
  kept(program, "status [run-id]", "show the status of a run").action(
    async (runId: string | undefined, options) => {
      done(await (await import("./status.ts")).statusCommand(runId, options));
    },
  );
  kept(program, "list", "list the runs")
    .addOption(
      new Option("--prune <days>", "first delete runs that ended at least this long ago").argParser(positive),
    )
    .action(async (options) => {
      done(await (await import("./list.ts")).listCommand(options));
    });
  kept(program, "stats", "show statistics of all runs")
    .addOption(new Option("--format <format>").choices(["text", "html"]).default("text"))
    .option("--out <file>", "write to this file")
    .action(async (options) => {
      done(await (await import("./status.ts")).statsCommand(options));
    });
  kept(program, "logs [run-id]", "show what the agents said and the checks printed")
    .addOption(new Option("--iteration <n>", "only this iteration").argParser(wholePositive))
    .option("--node <id>", "only this node")
    .option("--follow", "follow until the run ends or pauses")
    .action(async (runId: string | undefined, options) => {
      done(await (await import("./logs.ts")).logsCommand(runId, options));
    });
  kept(program, "report [run-id]", "write a report of a run")
    .addOption(new Option("--format <format>").choices(["markdown", "html", "junit"]).default("markdown"))
    .option("--out <file>", "write to this file")
    .action(async (runId: string | undefined, options) => {
      done(await (await import("./report.ts")).reportCommand(runId, options));
    });
  common(program, "check [workflow...]", "check workflow files")
    .addOption(new Option("--format <format>").choices(["text", "sarif", "github"]).default("text"))
    .action(async (files: string[], options) => {
      done(await (await import("./check.ts")).checkCommand(files, options));
    });
  common(program, "plan <file>", "show what a workflow would do")
    .addOption(new Option("--format <format>").choices(["text", "json", "mermaid"]).default("text"))
    .action(async (file: string, options) => {
      done(await (await import("./plan.ts")).planCommand(file, options));
    });
}

function addSnapshots(program: Command, done: Done): void {
  kept(
    program,
    "diff [run-id] [numbers...]",
    "show what a run changed, or iteration N, or iterations N+1 to M",
  )
    .option("--node <id>", "which loop, if there are several")
    .option("--stat", "only a summary for each file")
    .action(async (runId: string | undefined, numbers: string[], options) => {
      // An id has more than digits.
      const isNumber = /^\d{1,5}$/.test(runId ?? "");
      const wanted = (isNumber ? [runId ?? "", ...numbers] : numbers).map(iterationNumber);
      const { diffCommand } = await import("./diff.ts");
      done(await diffCommand(isNumber ? undefined : runId, wanted, options));
    });
  kept(program, "restore <run-id> <iteration>", "restore the files as they were after an iteration")
    .option("--node <id>", "which loop, if there are several")
    .action(async (run: string, what: string, options) => {
      done(await (await import("./restore.ts")).restoreCommand({ run, what }, options));
    });
}

function addHelpers(program: Command, done: Done): void {
  common(program, "convert <file>", "convert a workflow to a native file")
    .option("--out <file>", "write to this file")
    .action(async (file: string, options) => {
      done(await (await import("./convert.ts")).convertCommand(file, options));
    });
  common(program, "init", "write a loop that fits this project, and the workflow that runs it")
    .option("--dir <folder>", "the project's folder, in a monorepo")
    .option("--check <cmd>", "the command that runs the tests")
    .option("--no-try-check", "do not run the check once")
    .action(async (options) => {
      done(await (await import("./init.ts")).initCommand(options));
    });
  kept(program, "doctor", "check whether this machine has everything needed").action(async (options) => {
    done(await (await import("./doctor.ts")).doctorCommand(options));
  });
  common(program, "eval [tasks]", "compare agents on tasks with a check")
    .addOption(new Option("--agent <name>", "who works").argParser(gather))
    .option("--model <name>", "the model")
    .addOption(new Option("--repeat <n>", "trials of each agent at each task").argParser(wholePositive))
    .option("--out <dir>", "where trials are recorded")
    .option("--replay <dir>", "show what is recorded, run nothing")
    .addOption(new Option("--max-cost-usd <n>", "maximum cost of all trials").argParser(positive))
    .addOption(isolation())
    .addOption(network())
    .action(async (file: string | undefined, options) => {
      done(await (await import("./eval.ts")).evalCommand(file, options));
    });
  common(program, "demo", "watch a loop fix a small project")
    .option("--agent <name>", "a real agent instead of the recorded one")
    .action(async (options) => {
      done(await (await import("./demo.ts")).demoCommand(options));
    });
}
