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
    readonly text?: string | null;
    readonly annotations_count: number;
  };
  /** Its annotations, which no answer about the check contains. */
  readonly annotations?: readonly Readonly<Record<string, unknown>>[];
}

/** Checks of commits that only the bare repository has, which the emulator does not know. */
export function checkRoutes(bare: Bare, checks: ReadonlyMap<number, Check>): Route {
  return ({ method, path, query, headers, body }) => {
    const head = String(body["head_sha"] ?? "");
    if (method === "POST" && path.endsWith("/check-runs") && bare.commit(head) !== head)
      return fault(422, `No commit found for SHA: ${head}`);
    const annotated = checks.get(Number(/\/check-runs\/(\d+)\/annotations$/.exec(path)?.[1]));
    if (method === "GET" && annotated !== undefined) return annotationsOf(annotated, query);
    const [, ref = "", kind] =
      /^\/repos\/[^/]+\/[^/]+\/commits\/(.+)\/(check-runs|check-suites)$/.exec(path) ?? [];
    if (method !== "GET" || ref === "") return undefined;
    const sha = bare.commit(decodeURIComponent(ref));
    const name = query.get("check_name");
    const matching = [...checks.values()].filter(
      (check) => check.head_sha === sha && (name === null || check.name === name),
    );
    const shown = matching.map(({ by, annotations, ...check }) => check);
    if (kind === "check-runs") return page(shown, { path, query, headers });
    const suites = matching
      .slice(0, 1)
      .map(({ id }) => ({ id, head_sha: sha, app: { slug: "github-actions" } }));
    return ok({ total_count: suites.length, check_suites: suites });
  };
}

/** The first annotations, at most 50: https://docs.github.com/en/rest/checks/runs#list-check-run-annotations */
function annotationsOf({ annotations = [] }: Check, query: URLSearchParams): Reply {
  const most = Math.min(Number(query.get("per_page") ?? 30), 50);
  const none = { title: null, raw_details: null, start_column: null, end_column: null };
  return ok(annotations.slice(0, most).map((each) => ({ ...none, ...each })));
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

/** Remembers a check run that an answer shows. A change adds annotations and removes none. */
export function noteCheck(checks: Map<number, Check>, { path, login, ...ask }: Ask, body: unknown): void {
  if (!/\/check-runs(\/\d+)?$/.test(path) || !isCheck(body)) return;
  const before = checks.get(body.id);
  const { annotations: added = [] } = (ask.body["output"] ?? {}) as Pick<Check, "annotations">;
  const annotations = [...(before?.annotations ?? []), ...added];
  const output = { ...body.output, annotations_count: annotations.length };
  checks.set(body.id, { ...body, output, annotations, by: before?.by ?? login });
}

const isCheck = (body: unknown): body is Check =>
  typeof body === "object" && body !== null && "head_sha" in body && "output" in body;
