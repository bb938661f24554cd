import { type Ask, fault, ok, type Reply, type Route } from "./ask.ts";
import type { Bare } from "./bare.ts";

/** A check run as last returned by the API. */
export interface Check {
  readonly id: number;
  readonly name: string;
  readonly head_sha: string;
  readonly status: string;
  readonly conclusion: string | null;
  /** The app that created it. */
  readonly by?: string | undefined;
  readonly output: {
    readonly title: string | null;
    readonly summary: string | null;
    readonly annotations_count: number;
  };
}

/** Checks of commits that only the bare repository has, which the emulator does not know. */
export function checkRoutes(bare: Bare, checks: ReadonlyMap<number, Check>): Route {
  return ({ method, path, query, headers, body }) => {
    const head = String(body["head_sha"] ?? "");
    if (method === "POST" && path.endsWith("/check-runs") && bare.commit(head) !== head)
      return fault(422, `No commit found for SHA: ${head}`);
    const [, ref = "", kind] =
      /^\/repos\/[^/]+\/[^/]+\/commits\/(.+)\/(check-runs|check-suites)$/.exec(path) ?? [];
    if (method !== "GET" || ref === "") return undefined;
    const sha = bare.commit(decodeURIComponent(ref));
    const name = query.get("check_name");
    const matching = [...checks.values()].filter(
      (check) => check.head_sha === sha && (name === null || check.name === name),
    );
    if (kind === "check-runs") return page(matching, { path, query, headers });
    const suites = matching
      .slice(0, 1)
      .map(({ id }) => ({ id, head_sha: sha, app: { slug: "github-actions" } }));
    return ok({ total_count: suites.length, check_suites: suites });
  };
}

/** At most a hundred, with a link to the next page. */
function page(
  matching: readonly Check[],
  { path, query, headers }: Pick<Ask, "path" | "query" | "headers">,
): Reply {
  const [size, at] = [Number(query.get("per_page") ?? 30), Number(query.get("page") ?? 1)];
  const runs = matching.slice((at - 1) * Math.min(size, 100), at * Math.min(size, 100));
  const next = new URLSearchParams(query);
  next.set("page", String(at + 1));
  const link = `<http://${headers.host}/api/v3${path}?${next}>; rel="next"`;
  return {
    ...ok({ total_count: matching.length, check_runs: runs }),
    ...(at * size < matching.length ? { headers: { link } } : {}),
  };
}

/** Only the app that created a check may change it; others are refused. */
export function checkOwners(checks: ReadonlyMap<number, Check>): Route {
  return ({ method, path, login }) => {
    const check = checks.get(Number(/\/check-runs\/(\d+)$/.exec(path)?.[1]));
    return method !== "PATCH" || check === undefined || check.by === login
      ? undefined
      : fault(403, "Invalid app_id `1` - check run can only be modified by the GitHub App that created it.");
  };
}

/** Remembers a check run that an answer shows. */
export function noteCheck(checks: Map<number, Check>, { path, login }: Ask, body: unknown): void {
  if (/\/check-runs(\/\d+)?$/.test(path) && isCheck(body))
    checks.set(body.id, { ...body, by: checks.get(body.id)?.by ?? login });
}

const isCheck = (body: unknown): body is Check =>
  typeof body === "object" && body !== null && "head_sha" in body && "output" in body;
