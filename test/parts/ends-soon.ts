import { runInNewContext } from "node:vm";

/**
 * What `work` gives, or an error where it is not done within a minute. No measure of speed: inputs are so large that work
 * which grows with their square would take far longer, and a busy machine makes no difference.
 */
export const endsSoon = <T>(work: () => T): T => runInNewContext("work()", { work }, { timeout: 60_000 });
