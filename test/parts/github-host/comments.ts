import { ok, type Route } from "./ask.ts";
import type { Reaction } from "./extras.ts";

interface Numbered {
  readonly number: number;
}
interface Dated {
  readonly id: number;
  readonly updated_at: string;
}

/** All comments of a repository, last updated first: the emulator lists only those of one issue. */
export function commentRoutes(
  emulator: () => string,
  correct: (value: unknown) => unknown,
  reactions: readonly Reaction[],
): Route {
  return async ({ method, path, headers }) => {
    if (method !== "GET" || !/^\/repos\/[^/]+\/[^/]+\/issues\/comments$/.test(path)) return undefined;
    const base = path.replace(/\/issues\/comments$/, "");
    const list = async <T>(rest: string): Promise<readonly T[]> => {
      const { authorization = "" } = headers;
      const answer = await fetch(`${emulator()}${base}${rest}per_page=100`, { headers: { authorization } });
      return answer.ok ? ((await answer.json()) as readonly T[]) : [];
    };
    const lists = await Promise.all(["/issues?state=all&", "/pulls?state=all&"].map(list<Numbered>));
    const numbers = [...new Set(lists.flat().map(({ number }) => number))];
    const comments = await Promise.all(numbers.map((number) => list<Dated>(`/issues/${number}/comments?`)));
    const withReactions = comments.flat().map((comment) => ({
      ...comment,
      reactions: {
        ...Object.fromEntries(
          ["eyes", "+1", "rocket", "confused"].map((kind) => [
            kind,
            reactions.filter(({ on, content }) => on === `issues/comments/${comment.id}` && content === kind)
              .length,
          ]),
        ),
      },
    }));
    return ok(correct(withReactions.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at))));
  };
}
