import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { git } from "../../src/git/git.ts";
import { type CompositeResult, type CompositeRun, runComposite } from "../parts/composite/run-composite.ts";

/** A checkout of these files, as `actions/checkout` would leave it. */
export async function checkoutOf(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "checkout-")));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  await git({ cwd, args: ["init", "--quiet", "--initial-branch=topic"] });
  await git({ cwd, args: ["add", "--all"] });
  await git({ cwd, args: ["commit", "--quiet", "--message", "All there is"] });
  return cwd;
}

export const headOf = async (cwd: string) => (await git({ cwd, args: ["rev-parse", "HEAD"] })).out.trim();

interface Use extends Omit<CompositeRun, "actionDir" | "workspace"> {
  readonly workspace?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** Runs the action of this repository, as it ships, in a checkout. */
export async function useAction({ files = {}, workspace, ...run }: Use): Promise<CompositeResult> {
  return runComposite({
    ...run,
    workspace: workspace ?? (await checkoutOf(files)),
    actionDir: process.cwd(),
  });
}

/** A file of replies for the scripted agent. */
export const session = (...replies: readonly unknown[]) => JSON.stringify({ replies });

/**
 * The annotations of one level, without that of the runner for a failed step, and without the one that checkouts of
 * `checkoutOf` have no remote.
 */
export const annotationsOf = ({ annotations }: CompositeResult, level: string) =>
  annotations
    .filter((each) => each.level === level)
    .filter(({ message }) => !/^Process completed|^the checkout has no remote/.test(message));
