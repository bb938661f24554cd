import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Opening, openConversation } from "../../../src/agents/cli/conversation.ts";

test("a program that is asked to bring a conversation back runs behind the walls of its turns", async () => {
  const folder = mkdtempSync(join(tmpdir(), "conversation-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const seen: unknown[] = [];
  const opening = {
    cli: {
      name: "x",
      state: () => [join(folder, "state")],
      sessions: {
        bring: (session: { run: (args: string[], env: object) => unknown }) => session.run(["import"], {}),
      },
    },
    request: { session: "abc" },
    context: {
      workspace: folder,
      artifacts: folder,
      signal: new AbortController().signal,
      wrap: async (launch: { command: string; args: readonly string[]; writable?: readonly string[] }) => {
        seen.push([launch.command, ...launch.args, ...(launch.writable ?? [])]);
        return { ...launch, command: "/bin/true", args: [] };
      },
    },
    environment: { PATH: "/bin" },
    program: { command: "/bin/false" },
  } as unknown as Opening;
  expect(await openConversation(opening)).toMatchObject({ isContinued: true });
  expect(seen).toEqual([["/bin/false", "import", join(folder, "state")]]);
});
