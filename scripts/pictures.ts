import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { draw, missingForPictures, type Seen } from "./pictures/draw.ts";
import { scenes } from "./pictures/scenes.ts";

/** Draws the pictures of the docs into a folder, from real runs, and returns the text on each, by name. */
export async function makePictures(to: string): Promise<ReadonlyMap<string, Seen>> {
  const folder = mkdtempSync(join(tmpdir(), "pictures-"));
  try {
    const all = await scenes(folder);
    mkdirSync(to, { recursive: true });
    const seen = await draw(
      all.map(({ name, ...picture }) => ({ ...picture, file: join(to, `${name}.png`) })),
    );
    return new Map(all.map(({ name }, at) => [name, seen[at] as Seen]));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

if (import.meta.main) {
  const missing = missingForPictures();
  if (missing !== undefined) {
    console.error(`no pictures can be drawn here: ${missing}`);
    process.exit(1);
  }
  for (const name of (await makePictures("docs/pictures")).keys()) console.log(`docs/pictures/${name}.png`);
}
