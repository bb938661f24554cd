/** The API of a GitHub host, as far as we ask it: an Octokit of any make will do. */
export interface Api {
  /** A route like `GET /repos/{owner}/{repo}`; throws an error with a `status` where the host says no. */
  request(route: string, parameters?: Readonly<Record<string, unknown>>): Promise<ApiReply>;
}

export interface ApiReply {
  readonly status: number;
  readonly data: unknown;
}

/** A repository, in the words of the API. */
export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

/** The status a host refused with; `undefined` for what is no answer of a host. */
export function statusOf(error: unknown): number | undefined {
  const { status } = (error ?? {}) as { readonly status?: unknown };
  return typeof status === "number" ? status : undefined;
}

/** What was asked for, or `undefined` where it is not there. */
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
