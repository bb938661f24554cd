import { realpathSync } from "node:fs";
import { IsolationError } from "../ports/isolation.ts";
import { attempt } from "./lenient-reads.ts";

/** The same places at each start; throws if one has become a link, or lies below one, since. */
export function watchPlaces(places: readonly string[]): () => readonly string[] {
  const real = (path: string) => attempt(() => realpathSync(path));
  const before = new Map(places.map((path) => [path, real(path)]));
  return () => {
    for (const [path, was] of before) {
      const now = real(path) ?? was;
      if (now !== was)
        throw new IsolationError(
          `${path} leads to ${now} since a program of the run changed it: programs could write there; remove the link, then resume the run`,
        );
    }
    return places;
  };
}
