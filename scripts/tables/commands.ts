import { commands, usageOf } from "../../src/decisions/commands/table.ts";
import { code, table } from "./markdown.ts";

/** The commands that people give in comments. */
export const commandTable = (): string =>
  table(
    ["Command", "Effect"],
    commands.map((command) => [
      code(`/workflow ${usageOf(command)}`),
      command.more === undefined ? command.doc : `${command.doc}; ${command.more}`,
    ]),
  );
