import { expect, onTestFinished, test, vi } from "vitest";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { sweep } from "../../src/issue-ops/sweep.ts";
import { openAppHome } from "../parts/app-home.ts";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { randomOf } from "../parts/random.ts";
import { buttonHook, commentHook, deliver, repository, workflowHook } from "./hooks.ts";

const orders = Number(process.env["UNTIL_GREEN_ROUNDS"] ?? 20);
/** A host of their own for some: more requests than in an hour of GitHub would be refused. */
const ordersOfHost = 10;

interface Delivery {
  readonly event: string;
  readonly hook: object;
  readonly delivery?: string;
}

/** One step of a history: what people do, what the run records, or a webhook that comes. */
type Step = () => Promise<unknown> | unknown;

test(`${orders} orders of webhooks: doubled, late, lost, before what they follow, edited or deleted meanwhile, each command is used once`, async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
  for (let first = 1; first <= orders; first += ordersOfHost)
    await playSome(first, Math.min(first + ordersOfHost - 1, orders));
}, 1_800_000);

async function playSome(first: number, last: number): Promise<void> {
  const { github, home, replies } = await openAppRepository();
  github.webhooks.url = undefined;
  const copies = [home, await openAppHome(github)];
  for (let seed = first; seed <= last; seed++) {
    const played = await play({ github, copies, seed });
    const answers = (await replies()).filter((text) => text.includes(played.run));
    expect(answers.length, `seed ${seed}: ${answers.join("\n")}`).toBeLessThanOrEqual(played.commands);
  }
}

interface Game {
  readonly github: GitHubHost;
  readonly copies: readonly Awaited<ReturnType<typeof openAppHome>>[];
  readonly seed: number;
}

async function play({ github, copies, seed }: Game) {
  const random = randomOf(seed);
  const run = `order-${String(seed).padStart(4, "0")}-0a1b2c3d`;
  const nonce = `n${String(seed).padStart(9, "0")}`;
  const seeded = { run, origin: { pull: 1 } };
  const lines: string[] = [];
  // The run works, and stands at its gate at some time.
  seedRun(github, { ...seeded, state: "running", gates: [] });
  const open = () => {
    lines.push(...linesOf(github, run));
    seedRun(github, { ...seeded, gates: [{ nonce }] });
  };
  const write = (by: string, body: string) => github.as(by, "POST /issues/1/comments", { body });
  const hook = (comment: object): Delivery => ({ event: "issue_comment", hook: commentHook(comment) });
  const changed = (comment: object, action: string): Delivery => ({
    event: "issue_comment",
    hook: { ...commentHook(comment), action },
  });
  const comments = {
    approve: await write("ada", `/workflow approve ${run}`),
    reject: await write("bob", `/workflow reject ${run} no`),
    tell: await write("ada", `/workflow tell ${run} fix mind the gap`),
    forbidden: await write("eve", `/workflow approve ${run}`),
    edited: await write("ada", `/workflow tell ${run} fix as it was`),
    deleted: await write("bob", `/workflow tell ${run} fix never mind`),
  };
  const edit = async () => {
    const body = `/workflow tell ${run} fix as somebody made it`;
    const after = await github.as("ada", `PATCH /issues/comments/${comments.edited.id}`, { body });
    await come(changed(after, "edited"));
  };
  const remove = async () => {
    github.fault(new RegExp(`/issues/comments/${comments.deleted.id}/reactions$`), { status: 404 });
    await github.as("bob", `DELETE /issues/comments/${comments.deleted.id}`);
    await come(changed(comments.deleted, "deleted"));
  };
  const come = (delivery: Delivery) => deliver(github, pick(random, copies).hooks, delivery);
  const press: Delivery = {
    event: "check_run",
    hook: buttonHook(run, `approve:${nonce}`, "octocat"),
    delivery: `press-${seed}`,
  };
  const others: readonly Delivery[] = [
    { event: "workflow_run", hook: workflowHook(7) },
    ...["synchronize", "opened", "closed"].map((action) => ({
      event: "pull_request",
      hook: { action, number: 1, pull_request: { number: 1 }, repository, installation: { id: 100 } },
    })),
  ];
  const commands = [...Object.values(comments).map(hook), press];
  // Each comes twice, once or never; a second time under the same id or another.
  const deliveries = [...commands, ...others].flatMap((event) => {
    const times = pick(random, [0, 1, 1, 2, 2]);
    const delivery = event.delivery ?? `${seed}-${random()}`;
    const isSame = random() < 0.5;
    return Array.from({ length: times }, (_, at): Step => {
      const again = at === 0 || isSame || event === press ? { delivery } : {};
      return () => come({ ...event, ...again });
    });
  });
  let isOpen = false;
  const gate = () => {
    isOpen = true;
    open();
  };
  for (const step of shuffled(random, [...deliveries, gate, edit, remove])) {
    const isAtOnce = random() < 0.5 && step !== gate;
    later(1);
    await step();
    if (!isAtOnce) await idle(copies);
  }
  expect(isOpen).toBe(true);
  await idle(copies);
  // A sweep starts a run again whose job never came, as no job comes here.
  const started = github.dispatches.filter(({ inputs }) => inputs["run-id"] === run).length;
  expect(started, `seed ${seed}`).toBeLessThanOrEqual(lines.length + linesOf(github, run).length);
  // Lost ones are taken up; then everything comes once more, late.
  await sweep(siteOf(github), { graceMs: 0 });
  later(180);
  for (const delivery of commands) await come(delivery);
  await idle(copies);
  await sweep(siteOf(github));
  lines.push(...linesOf(github, run));
  judge({ github, seed, lines, comments });
  return { run, commands: commands.length };
}

interface Judged {
  readonly github: GitHubHost;
  readonly seed: number;
  readonly lines: readonly string[];
  readonly comments: Readonly<Record<string, { readonly id: number }>>;
}

function judge({ github, seed, lines, comments }: Judged): void {
  const events = lines.map((line) => JSON.parse(line)).filter(({ type }) => type !== "seeded");
  const about = `seed ${seed}: ${lines.join("\n")}`;
  const by = (id: number | undefined) => events.filter(({ comment }) => comment?.id === id);
  const decided = events.filter(({ decision }) => ["approve", "reject"].includes(decision));
  expect(decided.length, about).toBeLessThanOrEqual(1);
  for (const { id } of Object.values(comments)) expect(by(id).length, about).toBeLessThanOrEqual(1);
  expect(by(comments["forbidden"]?.id), about).toEqual([]);
  // Each was told, also where its webhook was lost.
  expect(by(comments["tell"]?.id), about).toHaveLength(1);
  for (const { text } of events) expect(text, about).not.toBe("as somebody made it");
  for (const [name, { id }] of Object.entries(comments)) {
    if (name === "deleted" || name === "edited") continue;
    const marks = github.reactions.filter(({ on }) => on === `issues/comments/${id}`);
    const contents = marks.map(({ content }) => content).filter((content) => content !== "eyes");
    expect(contents, `${name}, ${about}`).toHaveLength(1);
    const isUsed = by(id).length === 1;
    expect(contents[0] === "confused", `${name}, ${about}`).toBe(!isUsed);
  }
}

/** All lines of a run's record. */
function linesOf(github: GitHubHost, run: string): readonly string[] {
  const ref = `refs/until-green/${run}/state`;
  const commits = github.git.git("rev-list", "--reverse", ref).split("\n").filter(Boolean);
  return commits.flatMap((commit) => github.git.git("show", `${commit}:events`).split("\n").filter(Boolean));
}

const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

const idle = (copies: Game["copies"]) => Promise.all(copies.map(({ app }) => app.deliveries.idle()));

const pick = <T>(random: () => number, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T;

const shuffled = <T>(random: () => number, list: readonly T[]): readonly T[] =>
  list
    .map((item) => ({ item, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);

function siteOf(github: GitHubHost) {
  const client = openGitHub({
    token: github.token,
    repository: github.repository,
    apiUrl: github.url,
  });
  return openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main" });
}
