/**
 * A checker for Stryker that lets only a sample of the mutants run: one in `MUTATION_ONE_IN`, drawn by `MUTATION_SEED`.
 * The draw depends on the place and the change alone, so a sample can be repeated on the same code. Mutants outside
 * the sample end as `CompileError`, the one status a checker may give, and are not counted.
 */
import { createHash } from "node:crypto";
import { relative } from "node:path";
import { cwd, env } from "node:process";

interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly replacement: string;
  readonly location: { readonly start: Place; readonly end: Place };
}
interface Place {
  readonly line: number;
  readonly column: number;
}

const oneIn = Number(env["MUTATION_ONE_IN"] ?? 1);
const seed = env["MUTATION_SEED"] ?? "1";

class Sample {
  async init(): Promise<void> {}

  async check(mutants: readonly Mutant[]) {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, isDrawn(mutant) ? passed : outside]));
  }

  /** All at once: a group each would be a message each to this checker. */
  async group(mutants: readonly Mutant[]) {
    return [mutants.map(({ id }) => id)];
  }
}

const passed = { status: "passed" };
const outside = { status: "compileError", reason: "outside the sample" };

function isDrawn({ fileName, location: { start, end }, replacement }: Mutant): boolean {
  const place = [start.line, start.column, end.line, end.column].join(":");
  const text = [seed, relative(cwd(), fileName), place, replacement].join("\n");
  return createHash("sha256").update(text).digest().readUInt32BE() % oneIn === 0;
}

export const strykerPlugins = [{ kind: "Checker", name: "sample", injectableClass: Sample }];
