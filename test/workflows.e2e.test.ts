import { execFileSync, spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { validate } from "@actions/languageservice";
import { describe, expect, test } from "vitest";
import { TextDocument } from "vscode-languageserver-textdocument";
import { parse } from "yaml";

const files = [
  "action.yml",
  ...globSync(["{.github,examples}/workflows/*.yml", "examples/jobs/*/workflow.yml"]).toSorted(),
];
const workflows = files.slice(1);

describe.each(files)("%s", (file) => {
  test("has no error that GitHub's own language service finds", async () => {
    const document = TextDocument.create(`file:///${file}`, "yaml", 1, textOf(file));
    const found = await validate(document, { actionsMetadataProvider: { fetchActionMetadata } });
    expect(found.map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  });

  test("pins every action by its commit, and says which version that is", () => {
    const uses = textOf(file)
      .split("\n")
      .filter((line) => /^\s*(- )?uses:/.test(line));
    const pinned =
      /uses: (\.\/?|[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|until-green\/until-green@v1)$/;
    expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
  });
});

test("no workflow, page or starter uses an action of Node 20, which runners no longer have", () => {
  const places = [...files, ...globSync("{README.md,docs/**/*.md,src/cli/init/*.ts}")];
  const version = /uses: (?!until-green\/)([\w.-]+\/[\w.-]+)@(?:[0-9a-f]{40} # )?v(\d+)/g;
  const old = places.flatMap((file) =>
    [...textOf(file).matchAll(version)]
      .filter(([, action = "", major]) => Number(major) < (firstOnNode24[action] ?? Infinity))
      .map(([line]) => `${file}: ${line}`),
  );
  expect(old).toEqual([]);
});

describe.each(workflows)("%s", (file) => {
  const workflow = parse(textOf(file)) as Workflow;

  test("grants nothing by default, and each job what it needs", () => {
    const jobs = Object.values(workflow.jobs);
    expect(workflow.permissions).toBeDefined();
    expect(Object.values(workflow.permissions ?? {}).filter((access) => access === "write")).toEqual([]);
    expect(jobs.filter((job) => job.permissions === undefined && file.startsWith("examples/"))).toEqual([]);
  });

  test("limits every job in time, and sets its concurrency", () => {
    expect(Object.values(workflow.jobs).filter((job) => job["timeout-minutes"] === undefined)).toEqual([]);
    expect(workflow.concurrency).toBeDefined();
  });

  test("leaves no credentials in the checkout", () => {
    const checkouts = Object.values(workflow.jobs)
      .flatMap(({ steps = [] }) => steps)
      .filter(({ uses = "" }) => uses.startsWith("actions/checkout@"));
    expect(checkouts.filter((step) => step.with?.["persist-credentials"] !== false)).toEqual([]);
  });

  test.runIf(!file.endsWith("/ci.yml"))("says at its head who can trigger it and what it may write", () => {
    const head = textOf(file).split("\nname:")[0] ?? "";
    expect(head).toContain("# Who can trigger it:");
    expect(head).toContain("# What it may write:");
  });
});

describe("linters of workflows", () => {
  test.runIf(has("actionlint"))("actionlint finds nothing", () => {
    expect(spawnSync("actionlint", workflows, { encoding: "utf8" }).stdout).toBe("");
  });

  test.runIf(has("zizmor"))("zizmor finds nothing", () => {
    const args = ["--offline", "--config", ".github/zizmor.yml", "--no-progress", "--format", "plain"];
    const { stdout, status } = spawnSync("zizmor", [...args, ...files], { encoding: "utf8" });
    expect({ stdout, status }).toEqual({ stdout: expect.stringContaining("No findings"), status: 0 });
  });
});

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly permissions?: unknown;
  readonly "timeout-minutes"?: number;
  readonly steps?: readonly { readonly uses?: string; readonly with?: Readonly<Record<string, unknown>> }[];
}

const textOf = (file: string) => readFileSync(file, "utf8");

function has(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** The inputs of actions that the workflows use: ours as they are, of others those that we use. */
async function fetchActionMetadata({ owner, name }: { readonly owner: string; readonly name: string }) {
  if (owner === "until-green") return parse(textOf("action.yml")) as { name: string; description: string };
  const inputs = Object.fromEntries(
    (known[`${owner}/${name}`] ?? []).map((input) => [input, { description: "" }]),
  );
  return { name, description: "", inputs };
}

const known: Readonly<Record<string, readonly string[]>> = {
  "actions/attest-build-provenance": ["subject-path"],
  "actions/checkout": ["ref", "persist-credentials", "fetch-depth", "path"],
  "actions/setup-node": ["node-version", "cache"],
  "actions/upload-artifact": ["name", "path", "retention-days", "if-no-files-found"],
  "actions/download-artifact": ["name", "path", "pattern", "merge-multiple"],
  "aws-actions/configure-aws-credentials": ["role-to-assume", "aws-region"],
  "azure/login": ["client-id", "tenant-id", "subscription-id"],
  "google-github-actions/auth": ["workload_identity_provider", "service_account"],
};

/** The first major version of each action whose tag does not lead to Node 20. */
const firstOnNode24: Readonly<Record<string, number>> = {
  "actions/attest-build-provenance": 4,
  "actions/checkout": 5,
  "actions/download-artifact": 7,
  "actions/setup-dotnet": 5,
  "actions/setup-go": 6,
  "actions/setup-java": 5,
  "actions/setup-node": 5,
  "actions/setup-python": 6,
  "actions/upload-artifact": 6,
  "arduino/setup-task": 3,
  "astral-sh/setup-uv": 7,
  "aws-actions/configure-aws-credentials": 6,
  "azure/login": 3,
  "dart-lang/setup-dart": 1,
  "denoland/setup-deno": 2,
  "erlef/setup-beam": 1,
  "extractions/setup-just": 4,
  "google-github-actions/auth": 3,
  "mlugg/setup-zig": 2,
  "oven-sh/setup-bun": 2,
  "ruby/setup-ruby": 1,
  "sbt/setup-sbt": 1,
  "subosito/flutter-action": 2,
};
