import { expect, test } from "vitest";
import { commands } from "../../src/commands/index.ts";
import type { LogStore } from "../../src/ports/store.ts";
import { decide } from "../../src/runner/decide.ts";
import { runId, stage } from "../parts/stage.ts";

const gates =
  "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: one } }\n  - { id: b, approval: { message: two } }\n";

test("who comes too late at a gate is told so, also where the run has ended meanwhile by another", async () => {
  const it = stage(gates);
  await it.begin();
  const now = it.world.clock.now();
  const said = (by: string, gate: string) => ({ by, gate, text: "", at: now, since: now });
  const reject = () =>
    decide({ store: it.store }, runId, (session) => commands.reject.choose(session, said("ann", "/a")));
  let before: (() => Promise<unknown>) | undefined = reject;
  const store: LogStore = {
    ...it.store,
    async append(...words) {
      const first = before;
      before = undefined;
      await first?.();
      return await it.store.append(...words);
    },
  };
  const late = await decide({ store }, runId, (session) =>
    commands.approve.choose(session, said("bob", "/b")),
  );
  expect(late).toMatchObject({ refused: "late" });
  const again = await decide({ store }, runId, (session) =>
    commands.approve.choose(session, said("bob", "/b")),
  );
  expect(again).toMatchObject({ refused: "wrong" });
});
