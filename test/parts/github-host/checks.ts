import { ok, type Route } from "./ask.ts";
import type { Bare } from "./bare.ts";

/** A check run as the API last showed it. */
export interface Check {
  readonly id: number;
  readonly name: string;
  readonly head_sha: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly output: {
    readonly title: string | null;
    readonly summary: string | null;
    readonly annotations_count: number;
  };
}

/** The checks of commits that the emulator has never heard of: those of the bare repository. */
export function checkRoutes(bare: Bare, checks: ReadonlyMap<number, Check>): Route {
  return ({ method, path, query }) => {
    const [, ref = "", kind] =
      /^\/repos\/[^/]+\/[^/]+\/commits\/(.+)\/(check-runs|check-suites)$/.exec(path) ?? [];
    if (method !== "GET" || ref === "") return undefined;
    const sha = bare.commit(decodeURIComponent(ref));
    const name = query.get("check_name");
    const found = [...checks.values()].filter(
      (check) => check.head_sha === sha && (name === null || check.name === name),
    );
    if (kind === "check-runs") return ok({ total_count: found.length, check_runs: found });
    const suites = found
      .slice(0, 1)
      .map(({ id }) => ({ id, head_sha: sha, app: { slug: "github-actions" } }));
    return ok({ total_count: suites.length, check_suites: suites });
  };
}

/** Remembers a check run that an answer shows. */
export function noteCheck(checks: Map<number, Check>, path: string, body: unknown): void {
  if (/\/check-runs(\/\d+)?$/.test(path) && isCheck(body)) checks.set(body.id, body);
}

const isCheck = (body: unknown): body is Check =>
  typeof body === "object" && body !== null && "head_sha" in body && "output" in body;
