/**
 * The commands that people give in comments: one file each, one line here. Everything that handles commands reads
 * `table.ts`.
 * @module
 */
export { approve } from "./approve.ts";
export { cancel } from "./cancel.ts";
export { feedback } from "./feedback.ts";
export { forget } from "./forget.ts";
export { help } from "./help.ts";
export { list } from "./list.ts";
export { pause } from "./pause.ts";
export { reject } from "./reject.ts";
export { resume } from "./resume.ts";
export { retry } from "./retry.ts";
export { run } from "./run.ts";
export { status } from "./status.ts";
export { tell } from "./tell.ts";
