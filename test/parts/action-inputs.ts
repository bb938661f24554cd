import { variableOf } from "../../action/inputs/inputs.ts";

/** What `action.yml` writes to the standard input of the program for these inputs. */
export const stdinOf = (inputs: Readonly<Record<string, string>>): string =>
  Object.entries(inputs)
    .map(([name, value]) => `${variableOf(name)}=${value}\0`)
    .join("");
