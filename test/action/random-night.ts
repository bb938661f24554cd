import type { GitHubHost } from "../parts/github-host/host.ts";
import { goal, type Night, openPulls, overloaded, setDraft } from "./play-nights.ts";
import { commitOn } from "./source.ts";

type Event = (host: GitHubHost, night: number) => unknown;
type Events = Readonly<Record<string, Event>>;

/** Files that people pushed to the branch, until they themselves close its pull request. */
export type PeoplesFiles = Set<string>;

export const hasBranch = (host: GitHubHost) => host.git.git("for-each-ref", `refs/heads/${goal}`) !== "";

/** What people do by day, and while an agent works. */
const peopleOf = (theirs: PeoplesFiles): Events => ({
  "main breaks": (host, night) => commitOn(host, "main", { [`n${night}.txt`]: "red\n" }),
  "main moves": (host, night) => commitOn(host, "main", { "docs.md": `main ${night}\n` }),
  "main changes the same file": (host, night) => commitOn(host, "main", { "a.txt": `red\nmain ${night}\n` }),
  async "a person pushes"(host, night) {
    if (!hasBranch(host)) return;
    theirs.add(`person-${night}.md`);
    await commitOn(host, goal, { [`person-${night}.md`]: `night ${night}\n` });
  },
  async "a person pushes an error"(host, night) {
    if (hasBranch(host)) await commitOn(host, goal, { [`person-${night}.txt`]: "red\n" });
  },
  async "it is closed"(host) {
    theirs.clear();
    for (const { number } of await openPulls(host))
      await host.as("octocat", `PATCH /pulls/${number}`, { state: "closed" });
  },
  async "the branch is deleted"(host, night) {
    await peopleOf(theirs)["it is closed"]?.(host, night);
    if (hasBranch(host)) host.git.git("update-ref", "-d", `refs/heads/${goal}`);
  },
  async "it is merged"(host, night) {
    const way = { merge_method: ["squash", "rebase", "merge"][night % 3] };
    // GitHub refuses it if there are conflicts.
    for (const { number, draft } of await openPulls(host))
      if (!draft) await host.as("octocat", `PUT /pulls/${number}/merge`, way).catch(() => undefined);
    host.reviews.clear();
  },
  async "draft or ready"(host) {
    for (const { node_id: id, draft } of await openPulls(host)) await setDraft(host, id, !draft);
  },
  "changes are requested": (host, night) =>
    host.reviews.set("octocat", `CHANGES_REQUESTED Look again ${night}`),
  async "its text is replaced"(host) {
    for (const { number } of await openPulls(host))
      await host.as("octocat", `PATCH /pulls/${number}`, { body: "Mine now.\n" });
  },
});

const limited = (status: number, message: string) => ({ status, message, headers: { "retry-after": "1" } });

/** What the host does; it is well again in the morning. */
const faults: Events = {
  "502 for a while": (host, night) => host.fault(/./, { status: 502 }, 1 + (night % 3)),
  "a rate limit": (host) => host.fault(/./, limited(403, "API rate limit exceeded"), 2),
  "a secondary limit": (host) =>
    host.fault(/^(POST|PATCH)/, limited(429, "You have exceeded a secondary rate limit"), 2),
  "lost answers": (host) => host.fault(/^(POST|PATCH|PUT)/, { drop: true }, 2),
  "half answers": (host) => host.fault(/./, { halve: true }, 2),
  "no GraphQL": (host) => host.fault(/graphql/, { status: 502 }, 30),
  "no new pull requests": (host) =>
    host.fault(/^POST .*\/pulls$/, {
      status: 403,
      message: "GitHub Actions is not permitted to create or approve pull requests.",
    }),
};

/** Without these, most nights would find a green pull request and rest. */
const often = new Set(["it is merged", "main breaks", "main changes the same file"]);

const fixesAll = "for f in *.txt; do if grep -qx red $f || grep -q '<<<<' $f; then echo green > $f; fi; done";
const dies = [
  "p=$PPID; until tr '\\0' ' ' < /proc/$p/cmdline | grep -q action.js; do p=$(cut -d' ' -f4 /proc/$p/stat); done",
  "kill -KILL $p",
].join("\n");
const agents: Readonly<Record<string, string>> = {
  "fixes all": fixesAll,
  "fixes all again": fixesAll,
  "fixes one": 'f=$(grep -lx red *.txt | head -n 1); [ -z "$f" ] || echo green > $f',
  "makes it worse": "echo red > worse.txt",
  "does nothing": "true",
  fails: "exit 9",
  "has no provider": overloaded,
  "dies with its machine": dies,
};

/** A night in which anything may happen. */
export function randomNight(random: () => number, number: number, theirs: PeoplesFiles) {
  const parts: string[] = [];
  const choose = (when: string, events: Events, expected: number) => {
    const chance = expected / Object.keys(events).length;
    const chosen = Object.entries(events).filter(([name]) => random() < chance * (often.has(name) ? 3 : 1));
    if (chosen.length > 0) parts.push(`${when}: ${chosen.map(([name]) => name).join(", ")}`);
    return async (host: GitHubHost) => {
      for (const [, happens] of chosen) await happens(host, number);
    };
  };
  const people = peopleOf(theirs);
  const day = [choose("by day", people, 1.5), choose("at first", faults, random() < 0.3 ? 1.5 : 0)];
  const later = [choose("meanwhile", people, random() < 0.4 ? 1.2 : 0)];
  later.push(choose("then", faults, random() < 0.4 ? 1.5 : 0));
  const name = Object.keys(agents)[Math.floor(random() * Object.keys(agents).length)] ?? "";
  const agent = agents[name] ?? "";
  const schedules = random() < 0.15 ? 2 : 1;
  const all = (events: readonly ((host: GitHubHost) => Promise<void>)[]) => async (host: GitHubHost) => {
    for (const happens of events) await happens(host);
  };
  const night: Night = {
    name: `${number}. ${[...parts, `the agent ${name}`, `${schedules} schedules`].join("; ")}`,
    day: all(day),
    ...(agent === overloaded ? {} : { during: all(later) }),
    agent,
    schedules,
    inputs: {
      patience: "1s",
      "until-reviews": random() < 0.3 ? "true" : "",
      // A machine is lost with all of its processes.
      ...(agent === dies ? { isolation: "off" } : {}),
    },
    morning: { conclusion: "" },
  };
  return { night, dies: agent === dies };
}
