/**
 * The front door: all that `action/` and `app/` may use.
 * @module
 */

export { openAgent } from "./adapters/agents/index.ts";
export { systemClock } from "./adapters/clock.ts";
export { scriptRunner } from "./adapters/script.ts";
export { bashShell } from "./adapters/shell.ts";
export { openStore } from "./adapters/stores/index.ts";
export { findRepository, gitWorkspace } from "./adapters/workspace.ts";
export { compile } from "./compile/compile.ts";
export type { RunFacts } from "./engine/event.ts";
export type { ToldEvent } from "./engine/told.ts";
export { page } from "./report/page.ts";
export { observe, startSummary, type Summary } from "./report/summary.ts";
export { start } from "./runner/run.ts";
