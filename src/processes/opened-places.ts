import { mkdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { IsolationError, type Launch } from "../ports/isolation.ts";
import { faultOfPlace } from "../ports/places.ts";
import type { Environment } from "./environment.ts";
import { homesOf } from "./home-folders.ts";
import { attempt } from "./lenient-reads.ts";
import { isIn } from "./mounts.ts";
import { isThere } from "./path-kind.ts";
import { protectedPlaces } from "./protected-places.ts";

/** Paths that people open to programs, as they wrote them. */
interface Opened {
  readonly show?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
}

/** A program may read and write what the user, or the author of the workflow, has opened. */
export function widened(
  launch: Launch,
  settings: readonly Opened[],
  place: Parameters<typeof openedPlaces>[1],
): Launch {
  const all = (key: keyof Opened) => settings.flatMap((each) => each[key] ?? []);
  const { shown, written } = openedPlaces({ show: all("show"), write: all("write") }, place);
  return {
    ...launch,
    readable: [...(launch.readable ?? []), ...shown],
    writable: [...(launch.writable ?? []), ...written],
  };
}

/**
 * The absolute paths. Throws `IsolationError` if one leads to what no program gets, also by a link. A missing folder to
 * write is created, because inside it could not be.
 */
function openedPlaces(
  { show = [], write = [] }: Opened,
  { environment, checkout }: { readonly environment: Environment; readonly checkout: string },
): { readonly shown: readonly string[]; readonly written: readonly string[] } {
  const homes = homesOf(environment);
  const [home = ""] = homes;
  const isProtected = placesOf(environment, homes);
  const absolute = (text: string) => {
    const path = text.startsWith("~/") ? join(home, text.slice(2)) : resolve(checkout, text);
    const real = attempt(() => realpathSync(path)) ?? path;
    const fault =
      faultOfPlace(real) ??
      (isProtected(real) ? `\`${text}\` holds keys, logins or files of the runner` : undefined);
    if (fault !== undefined) throw new IsolationError(`${fault}: it cannot be opened to programs`);
    return path;
  };
  const written = write.map(absolute);
  for (const path of written) if (!isThere(path)) attempt(() => mkdirSync(path, { recursive: true }));
  // What lies in the checkout is seen there; a program of the run decides where its links lead.
  const outside = (paths: readonly string[]) => paths.filter((path) => !isIn(path, checkout));
  return { shown: outside(show.map(absolute)), written: outside(written) };
}

function placesOf(environment: Environment, homes: readonly string[]): (path: string) => boolean {
  const places = protectedPlaces(environment, homes).flatMap((path) => [
    path,
    ...(attempt(() => [realpathSync(path)]) ?? []),
  ]);
  return (path) => homes.includes(path) || places.some((place) => isIn(path, place));
}
