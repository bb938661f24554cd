import { existsSync, writeFileSync } from "node:fs";
import { runId, stage } from "../../parts/stage.ts";
import { replayLog } from "./replay.ts";
import { scenarios } from "./scenarios.ts";

/**
 * Plays the scenarios that have no log yet, and keeps their logs. One that is there is never written again, since it
 * stands for the runs people have under way when they update; nor is what it told.
 */
export async function writeMissing(): Promise<void> {
  for (const [name, { source, props, act }] of Object.entries(scenarios)) {
    const file = new URL(`v1-${name}.jsonl`, import.meta.url);
    if (existsSync(file)) continue;
    const it = stage(source, props);
    await act(it);
    const lines = await it.store.read(runId);
    writeFileSync(file, `${lines.join("\n")}\n`);
    const kept = JSON.stringify(replayLog(lines), undefined, 2);
    writeFileSync(new URL(`v1-${name}.json`, import.meta.url), `${kept}\n`);
  }
}
