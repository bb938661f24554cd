/** The part of a GitHub host's API that we use; any Octokit implements it. */
export interface Api {
  /** A route like `GET /repos/{owner}/{repo}`; throws an error with a `status` if the host refuses. */
  request(route: string, parameters?: Readonly<Record<string, unknown>>): Promise<ApiReply>;
  /** A GraphQL query or mutation; throws if the answer has errors, with partial results as `data`. */
  graphql(query: string, variables?: Readonly<Record<string, unknown>>): Promise<unknown>;
  readonly paginate: {
    /** The pages of a list, each requested when the previous one has been read. */
    iterator(
      route: string,
      parameters?: Readonly<Record<string, unknown>>,
    ): AsyncIterable<{ readonly data: unknown }>;
  };
}

/** Any Octokit, with any route methods. */
// biome-ignore lint/suspicious/noExplicitAny: the routes of an Octokit are more than its types can hold together
export const apiOf = (octokit: { request: any; graphql: any; paginate: any }): Api => octokit;

export interface ApiReply {
  readonly status: number;
  readonly data: unknown;
}

/** A repository, as the API names it. */
export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

/** A repository, and the API of its host. */
export interface ApiRepository extends Repository {
  readonly api: Api;
}

/** The HTTP status of a refusal; `undefined` if the error is not a host's answer. */
export function statusOf(error: unknown): number | undefined {
  const { status } = (error ?? {}) as { readonly status?: unknown };
  return typeof status === "number" ? status : undefined;
}

/** The result, or `undefined` for status 404. */
export async function askIfThere(
  api: Api,
  route: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  try {
    return (await api.request(route, parameters)).data;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
