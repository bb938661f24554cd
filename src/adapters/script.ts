import { resolve } from "node:path";
import type { ScriptRequest, ScriptRunner } from "../ports/script.ts";
import { childEnvironment, type Environment } from "./environment.ts";
import { runProcess } from "./process.ts";
import { processAnswer } from "./process-answer.ts";
import { openScratch } from "./scratch.ts";
import { layOutVariables } from "./variables.ts";

/** Runs programs in other languages; `environment` is this process's own, of which they see what they may. */
export function scriptRunner(environment: Environment): ScriptRunner {
  return {
    async run(request, context) {
      const runtime = runtimes[request.runtime];
      if (request.deps.length > 0 && runtime.installs === undefined) throw new Error(noDeps(request));
      const scratch = openScratch(context.artifacts);
      try {
        const base = childEnvironment(environment, {});
        const { env } = layOutVariables({ base, values: { ...context.env, ...request.env }, scratch });
        // By standard input, a script of any size finds the packages and modules of the folder it runs in.
        const inline = "inline" in request.source ? request.source.inline : undefined;
        const file = "file" in request.source ? resolve(context.workspace, request.source.file) : "-";
        const end = await runProcess({
          command: runtime.command,
          args: [...runtime.args, ...request.deps.flatMap(runtime.installs ?? (() => [])), file],
          env,
          stdin: inline,
          cwd: request.cwd ?? context.workspace,
          timeoutMs: request.timeoutMs,
          signal: context.signal,
          onText: context.onText,
          reap: true,
        });
        if (end.fault?.code === "ENOENT" && end.fault.message.startsWith(runtime.command))
          throw new Error(runtime.missing);
        return processAnswer(end, context.signal);
      } finally {
        scratch.remove();
      }
    },
  };
}

interface Runtime {
  readonly command: string;
  readonly args: readonly string[];
  /** The arguments that make a package available; without it there is no way. */
  readonly installs?: (dependency: string) => readonly string[];
  readonly missing: string;
}

const runtimes: Readonly<Record<ScriptRequest["runtime"], Runtime>> = {
  node: {
    command: process.execPath,
    args: process.features.typescript === false ? ["--experimental-strip-types"] : [],
    missing: "node is not installed any more where this program was started with it",
  },
  bun: {
    command: "bun",
    args: ["run"],
    installs: () => [], // it fetches what a script imports
    missing: "bun is not installed, or not on PATH: get it from https://bun.sh, or use runtime: node",
  },
  python: {
    command: "python3",
    args: [],
    missing:
      "python3 is not installed, or not on PATH: install it (apt-get install python3, brew install python)",
  },
  uv: {
    command: "uv",
    args: ["run"],
    installs: (dependency) => ["--with", dependency],
    missing:
      "uv is not installed, or not on PATH: get it from https://docs.astral.sh/uv, or use runtime: python",
  },
};

const noDeps = ({ runtime, deps }: ScriptRequest) =>
  `${runtime} cannot install ${deps.join(", ")} for a script: install it in a node before, or use runtime: uv`;
