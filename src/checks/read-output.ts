/** What people and verdicts learn from a check's output, and from the change. Loaded as a whole. @module */
export { ranNoTest, whyNoTests } from "./broken-check.ts";
export { failingCount } from "./failing-count.ts";
export { failingTests } from "./failing-tests.ts";
export { lastLines } from "./last-lines.ts";
export { endingLines, lostAssertions, silencingLines, suspiciousLines } from "./suspicious-lines.ts";
