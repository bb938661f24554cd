import { created, fault, notFound, ok, type Reply, type Route, textOf } from "./ask.ts";

/** A person's role in the repository, by GitHub's name. */
export type Role = "admin" | "maintain" | "write" | "triage" | "read" | "none";

export interface Dispatch {
  /** The file of the workflow; `undefined` for a `repository_dispatch`. */
  readonly workflow: string | undefined;
  /** The branch, or the type of event. */
  readonly ref: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly by: string | undefined;
}

export interface WorkflowRun {
  readonly id: number;
  readonly status: "queued" | "in_progress" | "completed";
  readonly conclusion?: string | null;
  readonly head_sha?: string;
  readonly path?: string;
  readonly event?: string;
  readonly run_attempt?: number;
}

export interface Reaction {
  readonly id: number;
  readonly content: string;
  /** `issues/7` or `issues/comments/12`. */
  readonly on: string;
  readonly by: string | undefined;
}

export interface ReviewThread {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  isResolved: boolean;
  readonly comments: { readonly body: string; readonly author: { readonly login: string } }[];
}

/** A rule of an active ruleset, for matching branches. */
export interface BranchRule {
  readonly type: string;
  readonly branches: RegExp;
  readonly ruleset: {
    readonly id: number;
    readonly name: string;
    /** The bypass reported to a caller; default none. */
    readonly current_user_can_bypass?: string;
  };
  /** The bypass list; default empty. */
  readonly bypass?: readonly string[];
}

/** State for routes that the emulator lacks. */
export interface Extras {
  readonly roles: Map<string, Role>;
  readonly dispatches: Dispatch[];
  onDispatch: ((dispatch: Dispatch) => unknown) | undefined;
  readonly runs: Map<number, WorkflowRun>;
  readonly reactions: Reaction[];
  /** The logs of jobs, by the ids of their check runs. */
  readonly logs: Map<number, string>;
  readonly threads: ReviewThread[];
  /** The node ids of comments that are minimised. */
  readonly minimized: Set<string>;
  /** The last review of the first pull request by each person: `APPROVED`, or `CHANGES_REQUESTED` with a text. */
  readonly reviews: Map<string, string>;
  /** Each person's association with the repository: `NONE`, `CONTRIBUTOR`; default `COLLABORATOR`. */
  readonly associations: Map<string, string>;
  /** Commit statuses, newest last. */
  readonly statuses: {
    readonly sha: string;
    readonly context: string;
    readonly state: string;
    readonly description?: string;
  }[];
  readonly rules: BranchRule[];
  /** Workflow files that can be dispatched; default any. */
  readonly workflows: Set<string>;
}

export const openExtras = (roles: Readonly<Record<string, Role>>): Extras => ({
  roles: new Map(Object.entries(roles)),
  dispatches: [],
  onDispatch: undefined,
  runs: new Map(),
  reactions: [],
  logs: new Map(),
  threads: [],
  minimized: new Set(),
  reviews: new Map(),
  associations: new Map(),
  statuses: [],
  rules: [],
  workflows: new Set(),
});

export function extraRoutes(extras: Extras): Route {
  const routes = [
    permission,
    reactions,
    dispatches,
    runs,
    jobLogs,
    commitStatus,
    reviewThreads,
    rules,
    viewer,
  ];
  return (ask) => {
    for (const route of routes) {
      const reply = route(extras, ask);
      if (reply !== undefined) return reply;
    }
    return undefined;
  };
}

type Asked = Parameters<Route>[0];

const permissions: Readonly<Record<Role, string>> = {
  admin: "admin",
  maintain: "write",
  write: "write",
  triage: "read",
  read: "read",
  none: "none",
};

function permission({ roles }: Extras, { method, path }: Asked): Reply | undefined {
  const login = /^\/repos\/[^/]+\/[^/]+\/collaborators\/([^/]+)\/permission$/.exec(path)?.[1];
  if (method !== "GET" || login === undefined) return undefined;
  const name = decodeURIComponent(login);
  const role = roles.get(name);
  if (role === undefined) return fault(404, `${name} is not a user`);
  return ok({
    permission: permissions[role],
    role_name: role,
    user: { login: name, type: name.endsWith("[bot]") ? "Bot" : "User" },
  });
}

function reactions(extras: Extras, { method, path, query, body, login }: Asked): Reply | undefined {
  const [, on = "", id] =
    /^\/repos\/[^/]+\/[^/]+\/(issues\/(?:comments\/)?\d+)\/reactions(?:\/(\d+))?$/.exec(path) ?? [];
  if (on === "") return undefined;
  const list = extras.reactions;
  if (method === "GET")
    return ok(
      list
        .filter((each) => each.on === on && each.content === (query.get("content") ?? each.content))
        .map((each) => ({ ...each, user: { login: each.by } })),
    );
  if (method === "DELETE") {
    const at = list.findIndex((each) => each.id === Number(id));
    if (at >= 0) list.splice(at, 1);
    return { status: 204 };
  }
  const content = textOf(body["content"]);
  if (!known.has(content)) return fault(422, "Validation Failed");
  const same = list.find((each) => each.on === on && each.by === login && each.content === content);
  const reaction = same ?? { id: list.length + 1, content, on, by: login };
  if (same === undefined) list.push(reaction);
  return { status: same === undefined ? 201 : 200, body: { ...reaction, user: { login } } };
}

const known = new Set(["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]);

function dispatches(extras: Extras, { method, path, body, login }: Asked): Reply | undefined {
  if (method !== "POST") return undefined;
  const file = /\/actions\/workflows\/([^/]+)\/dispatches$/.exec(path)?.[1];
  const isEvent = /^\/repos\/[^/]+\/[^/]+\/dispatches$/.test(path);
  if (file === undefined && !isEvent) return undefined;
  const workflow = file === undefined ? undefined : decodeURIComponent(file);
  if (workflow !== undefined && extras.workflows.size > 0 && !extras.workflows.has(workflow)) return notFound;
  const inputs = (body[isEvent ? "client_payload" : "inputs"] ?? {}) as Dispatch["inputs"];
  if (JSON.stringify(inputs).length > 65_535) return fault(422, "inputs are too large");
  const most = isEvent ? 10 : 25;
  if (Object.keys(inputs).length > most) return fault(422, `you may only define up to ${most} \`inputs\``);
  const dispatch = { workflow, ref: textOf(body[isEvent ? "event_type" : "ref"]), inputs, by: login };
  if (dispatch.ref === "") return fault(422, 'Invalid request.\n\n"ref" wasn\'t supplied.');
  extras.dispatches.push(dispatch);
  void extras.onDispatch?.(dispatch);
  return { status: 204 };
}

function runs(extras: Extras, { method, path, query }: Asked): Reply | undefined {
  const [, id, action] = /^\/repos\/[^/]+\/[^/]+\/actions\/runs(?:\/(\d+))?(\/cancel)?$/.exec(path) ?? [];
  if (method === "GET" && /\/actions\/runs$/.test(path)) {
    const sha = query.get("head_sha");
    const found = [...extras.runs.values()].filter((run) => sha === null || run.head_sha === sha);
    return ok({ total_count: found.length, workflow_runs: found });
  }
  if (id === undefined) return undefined;
  const run = extras.runs.get(Number(id));
  if (run === undefined) return notFound;
  if (method === "GET") return ok({ conclusion: null, run_attempt: 1, ...run });
  if (method !== "POST" || action === undefined) return undefined;
  extras.runs.set(run.id, { ...run, status: "completed", conclusion: "cancelled" });
  return created({});
}

/** The last status of each context. */
function commitStatus({ statuses }: Extras, { method, path }: Asked): Reply | undefined {
  const sha = /\/commits\/([0-9a-f]{40})\/status$/.exec(path)?.[1];
  if (method !== "GET" || sha === undefined) return undefined;
  const last = new Map(statuses.filter((one) => one.sha === sha).map((one) => [one.context, one]));
  return ok({ statuses: [...last.values()].map((one) => ({ target_url: null, description: null, ...one })) });
}

/** GitHub redirects requests for a job's log; here it is returned directly. */
function jobLogs({ logs }: Extras, { method, path }: Asked): Reply | undefined {
  const id = /\/actions\/jobs\/(\d+)\/logs$/.exec(path)?.[1];
  if (method !== "GET" || id === undefined) return undefined;
  const log = logs.get(Number(id));
  return log === undefined
    ? notFound
    : { status: 200, body: Buffer.from(log), headers: { "content-type": "text/plain" } };
}

function reviewThreads(extras: Extras, { method, path, body, login = "" }: Asked): Reply | undefined {
  const query = textOf(body["query"]);
  if (method !== "POST" || path !== "/graphql") return undefined;
  const { id, body: text } = (body["variables"] ?? {}) as { readonly id?: string; readonly body?: string };
  if (query.includes("resolveReviewThread")) {
    const thread = extras.threads.find((one) => one.id === id);
    if (thread === undefined)
      return ok({ data: null, errors: [{ type: "NOT_FOUND", message: "no such thread" }] });
    thread.comments.push({ body: text ?? "", author: { login } });
    thread.isResolved = true;
    return ok({ data: {} });
  }
  if (query.includes("minimizeComment")) {
    extras.minimized.add(id ?? "");
    return ok({ data: {} });
  }
  if (!query.includes("reviewThreads")) return undefined;
  const by = (login: string) => ({
    author: { login, __typename: login.endsWith("[bot]") ? "Bot" : "User" },
    authorAssociation: extras.associations.get(login) ?? "COLLABORATOR",
  });
  const nodes = extras.threads.map(({ comments, ...thread }) => ({
    ...thread,
    comments: { nodes: comments.map(({ body, author }) => ({ body, ...by(author.login) })) },
  }));
  const reviews = [...extras.reviews].map(([login, verdict]) => {
    const [state = "", ...text] = verdict.split(" ");
    return { id: `R-${login}-${text.length}`, state, body: text.join(" "), ...by(login) };
  });
  const pullRequest = {
    reviewDecision: null,
    latestOpinionatedReviews: { nodes: reviews },
    reviewThreads: { nodes },
  };
  return ok({ data: { repository: { pullRequest } } });
}

function rules(extras: Extras, { method, path }: Asked): Reply | undefined {
  const [, branch, id] = /\/rules\/branches\/(.+)$|\/rulesets\/(\d+)$/.exec(path) ?? [];
  if (method !== "GET" || (branch === undefined && id === undefined)) return undefined;
  const held = extras.rules.filter((rule) =>
    branch === undefined ? rule.ruleset.id === Number(id) : rule.branches.test(decodeURIComponent(branch)),
  );
  if (branch === undefined) return held[0] === undefined ? notFound : ok(held[0].ruleset);
  return ok(held.map(({ type, ruleset }) => ({ type, ruleset_id: ruleset.id })));
}

function viewer(_: Extras, { method, path, body, login }: Asked): Reply | undefined {
  if (method !== "POST" || path !== "/graphql") return undefined;
  const asks = /\bviewer\b/.test(textOf(body["query"]));
  return ok(
    asks && login !== undefined
      ? { data: { viewer: { login } } }
      : { errors: [{ message: "Not in this emulator" }] },
  );
}
