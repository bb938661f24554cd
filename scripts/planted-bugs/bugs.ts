const appendEvents = "src/runner/append-events.ts";
const push = "src/stores/git/push.ts";
const refs = "src/stores/git/run-refs.ts";
const buffered = "src/stores/git/buffered-run.ts";
const store = "src/stores/git-ref.ts";
const unpushed = "src/stores/git/unpushed.ts";
const decisions = "src/runner/append-decision.ts";

/** Each replaces one text of a source file with another. */
export const plantedBugs: readonly (readonly [what: string, file: string, from: string, to: string])[] = [
  ["lines of another run are taken over", appendEvents, "...(isAnother ? [] : events)", "...events"],
  [
    "own events are forgotten after a conflict",
    appendEvents,
    "...added.filter((event) => !undone.has(writeEvent(event)))",
    "...added.slice(added.length)",
  ],
  [
    "undone events are forgotten after a conflict",
    appendEvents,
    "...(isAnother ? [] : events)",
    "...events.slice(events.length)",
  ],
  ["every event is news after a conflict", appendEvents, "(event) => isNews(session, event)", "() => true"],
  [
    "nobody notices that the run was taken over",
    appendEvents,
    "if (others(now).length > others(driven.run).length)",
    "if (others(now).length < 0)",
  ],
  ["what is begun is not put on record", appendEvents, "[...added, ...starts, ", "[...added, "],
  [
    "what was begun is begun again at each append",
    appendEvents,
    "&& !session.hasStarted(path)",
    "&& path !== undefined",
  ],
  ["a claim is not pushed at once", appendEvents, 'type.startsWith("run.")', 'type.startsWith("never")'],
  ["the end is not written down", appendEvents, ", ...closingEvents(session, now())", ""],
  [
    "what overtook a push is not looked at",
    push,
    "if (tip !== record.tip?.id) {",
    "if (tip === undefined) {",
  ],
  ["a lost push counts as won", push, "return record.counts.has(link.id);", "return true;"],
  [
    "a won push that was overtaken counts as lost",
    push,
    "return record.counts.has(link.id);",
    "return false;",
  ],
  [
    "our own commit is taken for another's",
    refs,
    "if (link.id === record.inFlight?.id) {",
    "if (link.id === '') {",
  ],
  [
    "what is appended during a push is forgotten",
    refs,
    "record.pending = record.pending.slice(link.lines.length);",
    "record.pending = [];",
  ],
  ["what others undo is forgotten", refs, "record.undone.push(...record.pending);", ""],
  ["lines of a killed process are not taken up", buffered, "  takeUpPending(record);\n\n", "\n"],
  [
    "lines of a killed process are all pushed again",
    unpushed,
    ": { left: lines.slice(first), areNext: start + first === there.length };",
    ": { left: lines, areNext: start + first === there.length };",
  ],
  ["what waits behind a push is dropped", buffered, "  waitBehindTip(record);\n  //", "  //"],
  [
    "what was overtaken during a push is dropped",
    buffered,
    "if (record.undone.length === 0) dropPending",
    "dropPending",
  ],
  ["a late append is taken", buffered, "      refuseLate(record, after);\n", ""],
  ["an append does not report a conflict", buffered, "  sayUndone(record);\n  const count", "  const count"],
  ["a late decision is appended", store, "  if (record.lines.length !== after) throw stale();\n", ""],
  [
    "a decision that lost is taken for won",
    store,
    "  if (!(await push(record, { ...more, lines, epoch, work, artifacts, sessions }))) throw stale();",
    "  await push(record, { ...more, lines, epoch, work, artifacts, sessions });",
  ],
  [
    "the decision is appended without what it ends",
    decisions,
    "...closingEvents(run.session, chosen.record.at)",
    "",
  ],
  [
    "a decision that came too late is reported as recorded",
    decisions,
    "if (!(error instanceof StaleLogError)) throw error;",
    "if (error instanceof StaleLogError) return { session: run.session, events };",
  ],
  [
    "an agent is started without a look at who drives the run",
    appendEvents,
    "await environment.store.assertCurrent?.(driven.runId, run.lines);",
    "",
  ],
  [
    "a failed write is passed over",
    buffered,
    "|| useReserve(dir, error))) throw error;",
    "|| useReserve(dir, error))) return;",
  ],
  ["unpushed lines of this process are removed too", unpushed, "if (name !== nameOf(base)) rmSync", "rmSync"],
  [
    "a lock that another process holds is ignored",
    store,
    'if (!("release" in taken))',
    'if (!("release" in taken)) Object.assign(taken, { release: () => undefined });\n  if (!("release" in taken))',
  ],
  [
    "lines of a commit count as before it",
    refs,
    "record.counts.set(link.id, record.lines.length);",
    "record.counts.set(link.id, record.lines.length - link.lines.length);",
  ],
];
