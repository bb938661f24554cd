import { splitWord } from "../first-word.ts";
import { general, type Unclear } from "./command.ts";

/** The job that it starts reads the message from the comment. */
export const run = general({
  name: "run",
  takes: "<name> [message]",
  group: "start",
  doc: "starts a run of a workflow in `.github/loops/` or `.archon/workflows/` of the default branch",
  more: "on an issue, a run that [works on the issue](action.md#from-an-issue)",
  read(words): Unclear | { readonly name: string; readonly text: string } {
    const [name, text] = splitWord(words);
    if (name === "")
      return { unclear: "`run` needs the name of a workflow: `/workflow run <name> [message]`" };
    if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(name))
      return {
        unclear:
          "a workflow name has letters, digits, dots, hyphens and underscores only; paths are not accepted",
      };
    return { name, text };
  },
  act: (host, { name }) => host.startRun(name),
});
