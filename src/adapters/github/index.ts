/**
 * GitHub, for those who load it when they need it.
 * @module
 */

export { keepCheck, updateCheck } from "./checks.ts";
export { jobLogin, openGitHub } from "./client.ts";
export { editComment, keepComment } from "./comments.ts";
export { addLabels, createPull, findPull, readPull, setDraft, updatePull } from "./pulls.ts";
export { readAccess, readRepositoryFacts } from "./repository.ts";
export { isChecked, isRunAlive } from "./runs.ts";
