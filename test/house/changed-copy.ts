import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { env, execPath } from "node:process";

const root = resolve(import.meta.dirname, "../..");
/** What the program, the generated tables and the schemas are made from. */
const sources = ["src", "action", "scripts", "tools/convert", "package.json", "tsconfig.json", "action.yml"];

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A copy of the sources, to change as a contributor would. */
export class ChangedCopy implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "until-green-changed-"));
  /** Every file that the change touched. */
  readonly changed: string[] = [];

  constructor() {
    for (const path of sources) cpSync(join(root, path), join(this.folder, path), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(this.folder, "node_modules"));
  }

  /** Adds a file to the sources. */
  add(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text, { flag: "wx" });
    this.changed.push(path);
  }

  /** Adds text before the places where each of these texts stands in a file. */
  insert(path: string, before: Readonly<Record<string, string>>): void {
    const text = readFileSync(join(this.folder, path), "utf8");
    const after = Object.entries(before).reduce((it, [place, added]) => {
      if (it.split(place).length !== 2) throw new Error(`${path} does not have ${place} once`);
      return it.replace(place, () => added + place);
    }, text);
    writeFileSync(join(this.folder, path), after);
    this.changed.push(path);
  }

  /** Runs the command line from the changed sources, in an empty repository. */
  untilGreen(...args: readonly string[]): Promise<Ended> {
    return this.node("work", join(this.folder, "src/cli/main.ts"), ...args);
  }

  /** What the changed sources print when this module runs in their folder. */
  printed(module: string): Promise<Ended> {
    return this.node(".", "--input-type=module-typescript", "--eval", module);
  }

  /** The type errors of the changed sources. */
  types(): Promise<Ended> {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const config = { extends: "./tsconfig.json", include: [], files: this.changed };
    writeFileSync(join(this.folder, "changed.json"), JSON.stringify(config));
    return this.node(".", tsc, "--project", "changed.json");
  }

  /** Writes a file into the empty repository. */
  write(name: string, text: string): void {
    const work = join(this.folder, "work");
    mkdirSync(join(work, ".git/objects"), { recursive: true });
    mkdirSync(join(work, ".git/refs"), { recursive: true });
    writeFileSync(join(work, ".git/HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(work, name), text);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private node(cwd: string, ...args: readonly string[]): Promise<Ended> {
    const options = { cwd: join(this.folder, cwd), env: { PATH: env["PATH"], HOME: this.folder } };
    return new Promise((done) =>
      execFile(execPath, args, options, (error, stdout, stderr) =>
        done({
          code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1,
          stdout,
          stderr,
        }),
      ),
    );
  }
}
