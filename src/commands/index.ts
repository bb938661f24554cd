/**
 * What people may say of a run: one file each, one line here.
 * @module
 */
import { cancel } from "./cancel.ts";
import { approve, reject } from "./gate.ts";
import { tell } from "./tell.ts";

export const commands = { approve, reject, cancel, tell } as const;
