import { relative } from "node:path";
import { stdout } from "node:process";
import type { Reporter, TestModule } from "vitest/node";

const most = 20;

/** Ends a run of many test files with a table of the slowest. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= most) return;
    const rows = modules
      .map((module) => ({
        seconds: module.diagnostic().duration / 1000,
        file: relative(module.project.vitest.config.root, module.moduleId),
        tests: [...module.children.allTests()].length,
      }))
      .toSorted((a, b) => b.seconds - a.seconds)
      .slice(0, most);
    const lines = rows.map(
      ({ seconds, file, tests }) =>
        `${seconds.toFixed(1).padStart(8)} s  ${`${tests}`.padStart(5)}  ${file}\n`,
    );
    stdout.write(`\nThe ${most} slowest of ${modules.length} files:\n   seconds  tests\n${lines.join("")}`);
  }
}
