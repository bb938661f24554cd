import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../environment.ts";
import type { Cli, Turn } from "./cli/cli.ts";
import { picked } from "./cli/picked.ts";
import { reachOf } from "./cli/server.ts";
import { sessionFiles } from "./cli/session-files.ts";

/** Claude Code, by its `--print` mode. */
export const claude: Cli = {
  name: "claude",
  program: {
    name: "claude",
    package: "@anthropic-ai/claude-code",
    native: ["", "-musl"].map(
      (libc) => `@anthropic-ai/claude-code-${process.platform}-${process.arch}${libc}/claude`,
    ),
    from: "2.1.0",
    below: "3.0.0",
  },
  keys: [
    { variable: "ANTHROPIC_API_KEY", loan: loanBy({ name: "x-api-key" }) },
    { variable: "ANTHROPIC_AUTH_TOKEN", loan: loanBy({ name: "authorization", prefix: "Bearer " }) },
    { variable: "CLAUDE_CODE_OAUTH_TOKEN" },
    { variable: "AWS_BEARER_TOKEN_BEDROCK" },
  ],
  hasLogin: (environment) =>
    existsSync(join(folderOf(environment), ".credentials.json")) ||
    cloudSwitches.some((name) => environment[name] !== undefined) ||
    process.platform === "darwin", // its keychain is not ours to look into
  stop: { signal: "SIGTERM", graceMs: 3000 },
  totals: { tokens: false, cost: true },
  structured: "its own flag",
  sessions: sessionFiles({
    root: ({ environment }) => folderOf(environment),
    globs: (id) => [`projects/*/${id}.jsonl`],
    belongs: (file, { workspace }) =>
      join("projects", projectOf(workspace), file.slice(file.lastIndexOf("/") + 1)),
  }),
  async begin(turn) {
    const { readingOf } = await import("./claude-events.ts");
    return { args: argsOf(turn), env: envOf(turn), ...readingOf(turn) };
  },
};

function loanBy(header: { readonly name: string; readonly prefix?: string }) {
  const upstream = { variable: "ANTHROPIC_BASE_URL", usual: "https://api.anthropic.com" };
  return { wire: "anthropic", upstream, header } as const;
}

const cloudSwitches = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

/** How a person set it up, and nothing that opens a door. */
const ownSettings =
  /^(CLAUDE_CONFIG_DIR|CLAUDE_CODE_MAX_OUTPUT_TOKENS|MAX_THINKING_TOKENS|BASH_\w+|ANTHROPIC_(MODEL|SMALL_FAST_MODEL|DEFAULT_\w+_MODEL))$/;

const folderOf = (environment: Environment) =>
  environment["CLAUDE_CONFIG_DIR"] || join(environment["HOME"] || homedir(), ".claude");

/** The name of a checkout's folder among the sessions. */
const projectOf = (workspace: string) => workspace.replace(/[^A-Za-z0-9]/g, "-");

function argsOf({ request, session, server, scratch, extra, trusts, heeds }: Turn): readonly string[] {
  const { model, instructions, schema } = request;
  const tools = server && { mcpServers: { "until-green": { type: "http", ...reachOf(server) } } };
  return [
    "--print",
    ...["--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    ...["--permission-mode", "bypassPermissions"],
    // What a checkout says of hooks, servers and endpoints does not count.
    // Nor would its CLAUDE.md, which is text, as the code is: that comes in with the folder.
    ...(trusts ? [] : ["--setting-sources", "user", "--strict-mcp-config"]),
    ...(heeds && !trusts ? ["--add-dir", "."] : []),
    ...option("--mcp-config", tools && scratch.write("mcp.json", JSON.stringify(tools))),
    ...option("--model", model),
    ...option("--append-system-prompt-file", instructions && scratch.write("instructions.md", instructions)),
    ...option("--json-schema", schema === undefined ? undefined : JSON.stringify(schema)),
    ...[session.goesOn ? "--resume" : "--session-id", session.id],
    ...extra,
  ];
}

const option = (name: string, value: string | undefined) =>
  value === undefined || value === "" ? [] : [name, value];

function envOf({ endpoint, environment, heeds }: Turn): Environment {
  const isBearer = endpoint?.variable === "ANTHROPIC_AUTH_TOKEN";
  const isOfCloud = cloudSwitches.some((name) => environment[name] !== undefined);
  return {
    ...picked(environment, isOfCloud ? /^(CLAUDE_|ANTHROPIC_|AWS_|GOOGLE_|CLOUD_ML_|VERTEX_)/ : ownSettings),
    ...(endpoint && {
      ANTHROPIC_BASE_URL: endpoint.baseUrl,
      ANTHROPIC_API_KEY: isBearer ? undefined : endpoint.key,
      ANTHROPIC_AUTH_TOKEN: isBearer ? endpoint.key : undefined,
    }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: heeds ? "1" : undefined,
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    // It would not exit while such a task lives.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    // A few tries keep the conversation going; then the run itself waits and asks anew.
    CLAUDE_CODE_MAX_RETRIES: "4",
    // It refuses to work unasked for the root user, which is who a job in a container often is.
    ...(process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {}),
  };
}
