import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";

const folder = new URL("../.cache/", import.meta.url);
const file = new URL("asked", folder);

/** True when it is called for the first time. */
export function isFirst() {
  if (existsSync(file)) {
    rmSync(file);
    return false;
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, "");
  return true;
}
