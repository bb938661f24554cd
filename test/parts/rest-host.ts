import type { Api } from "../../src/github/api.ts";
import { digestOf } from "../../src/stores/git/commit-log.ts";

const started = "2026-01-01T00:00:00.000Z";

/** The file `state` of a run's newest commit. */
export const stateOf = (run: string, more: object = {}) =>
  JSON.stringify({
    ...{ v: 1, run, seq: 1, epoch: 1, nonce: "n".repeat(32), owner: "other", started, lines: 1 },
    ...{ digest: digestOf(undefined, Buffer.from("{}\n")), ...more },
  });

interface Place {
  readonly space?: string | undefined;
  readonly state?: string | undefined;
}

/** A host's API in memory, for requests without git; `calls` lists them, with GraphQL as `graphql`. */
export function restHost() {
  const it = {
    /** Commits by the full name of their ref. */
    refs: new Map<string, string>(),
    /** Files by commit and path, as in `c1:state`. */
    files: new Map<string, string>(),
    calls: [] as { readonly route: string; readonly parameters: Readonly<Record<string, unknown>> }[],
    /** Answers a GraphQL query; without it, the host has no GraphQL. */
    graph: undefined as
      | undefined
      | ((query: string, variables: Readonly<Record<string, unknown>>) => unknown),
    /** Answers other requests first; `undefined` for the usual answer. */
    answer: (_route: string, _parameters: Readonly<Record<string, unknown>>): unknown => undefined,
    routes: () => it.calls.map(({ route }) => route.replace("/repos/{owner}/{repo}/", "")),
  };
  const api: Api = {
    async request(route, parameters = {}) {
      it.calls.push({ route, parameters });
      return { status: 200, data: it.answer(route, parameters) ?? usual(route, parameters) };
    },
    async graphql(query, variables = {}) {
      it.calls.push({ route: "graphql", parameters: { query, ...variables } });
      if (it.graph === undefined) throw status(404);
      return it.graph(query, variables);
    },
    paginate: { iterator: () => missing() },
  };
  function usual(route: string, parameters: Readonly<Record<string, unknown>>): unknown {
    const [, method, rest = ""] = /^(\S+) \/repos\/\{owner\}\/\{repo\}\/(.*)$/.exec(route) ?? [];
    const name = (prefix: string) => `refs/${rest.slice(prefix.length)}`;
    if (rest.startsWith("git/matching-refs/"))
      return [...it.refs]
        .filter(([ref]) => ref.startsWith(name("git/matching-refs/")))
        .map(([ref, sha]) => ({ ref, object: { sha } }));
    if (method === "GET" && rest.startsWith("git/ref/"))
      return { object: { sha: it.refs.get(name("git/ref/")) ?? missing() } };
    if (method === "DELETE" && rest.startsWith("git/refs/"))
      return it.refs.delete(name("git/refs/")) || missing();
    return rest.startsWith("contents/")
      ? contents(`${parameters["ref"]}:${rest.slice("contents/".length)}`)
      : missing();
  }
  function contents(file: string) {
    const text = it.files.get(file);
    return text === undefined ? missing() : { content: inBase64(text), encoding: "base64", sha: "blob" };
  }
  return Object.assign(it, {
    location: { api, owner: "octocat", repo: "hello" },
    /** Puts a run at the host. */
    put(run: string, commit: string, { space = "refs/until-green", state = stateOf(run) }: Place = {}) {
      it.refs.set(`${space}/${run}/state`, commit);
      it.files.set(`${commit}:state`, state);
      it.files.set(`${commit}:events`, "{}\n");
    },
  });
}

export const inBase64 = (text: string) => Buffer.from(text).toString("base64");

/** A refusal of the host. */
export const status = (code: number, more: object = {}) =>
  Object.assign(new Error(`HTTP ${code}`), { status: code, ...more });

function missing(): never {
  throw status(404);
}
