import { resolve } from "node:path";
import type { ScriptRequest, ScriptRunner } from "../ports/script.ts";
import { childEnvironment, type Environment } from "./environment.ts";
import { writeLargeVariables } from "./large-variables.ts";
import { openPrivateTempDir } from "./private-temp-dir.ts";
import { runProcess } from "./process.ts";
import { programPath } from "./program-path.ts";
import { processAnswer } from "./shell.ts";

/** Runs scripts in other languages. `environment` is our own; scripts see only the permitted part. */
export function scriptRunner(environment: Environment): ScriptRunner {
  // Find them before an agent can put others on PATH.
  const { PATH } = childEnvironment(environment, {});
  const paths = new Map(Object.values(runtimes).map(({ command }) => [command, programPath(command, PATH)]));
  return {
    async run(request, context) {
      const runtime = runtimes[request.runtime];
      if (request.deps.length > 0 && runtime.installs === undefined) throw new Error(noDeps(request));
      const scratch = openPrivateTempDir(context.artifacts);
      try {
        const base = childEnvironment(environment, {});
        const { env } = writeLargeVariables({ base, values: { ...context.env, ...request.env }, scratch });
        // A script on standard input can have any size, and finds the packages and modules of its working folder.
        const inline = "inline" in request.source ? request.source.inline : undefined;
        const file = "file" in request.source ? resolve(context.workspace, request.source.file) : "-";
        const end = await runProcess({
          command: paths.get(runtime.command) ?? runtime.command,
          args: [...runtime.args, ...request.deps.flatMap(runtime.installs ?? (() => [])), file],
          env,
          stdin: inline,
          cwd: request.cwd ?? context.workspace,
          timeoutMs: request.timeoutMs,
          signal: context.signal,
          onText: context.onText,
          reap: true,
          wrap: context.wrap,
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
  /** Arguments that make a package available; if missing, the runtime cannot install packages. */
  readonly installs?: (dependency: string) => readonly string[];
  readonly missing: string;
}

const runtimes: Readonly<Record<ScriptRequest["runtime"], Runtime>> = {
  node: {
    command: process.execPath,
    args: process.features.typescript === false ? ["--experimental-strip-types"] : [],
    missing: "node no longer exists where until-green was started with it",
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
