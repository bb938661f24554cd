import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { openMachines } from "../parts/git-machines.ts";
import type { Fault, GitRequest } from "../parts/git-server.ts";

const { top, host, machine, at } = openMachines();

describe("a host that fails", () => {
  const once = (kind: GitRequest["kind"], fault: Fault) => {
    let left = 1;
    return (request: GitRequest) => (request.kind === kind && left-- > 0 ? fault : undefined);
  };
  test.each<[string, GitRequest["kind"], Fault]>([
    ["drops the answer to a push it has carried out", "push", "drop"],
    ["answers a push with an error", "push", "refuse"],
    ["hangs in a push", "push", "hang"],
    ["hangs when asked for refs", "refs", "hang"],
    ["answers the question for refs with an error", "refs", "refuse"],
    ["is slow", "push", { slowMs: 300 }],
  ])("%s: what was appended is on record once", async (_, kind, fault) => {
    const server = await host();
    const store = at(server, { timeoutMs: 3_000 });
    await store.append("run-001", 0, ["a"]);
    server.fault = once(kind, fault);
    await store.append("run-001", 1, ["b"]);
    expect(server.fired).toHaveLength(1);
    server.fault = undefined;
    expect(await at(server).read("run-001")).toEqual(["a", "b"]);
    expect(server.git("rev-list", "--count", "refs/until-green/run-001/state")).toBe("2");
  });
  const kinds = ["refs", "push", "pull"] as const;
  const damages = ["halve", "cut", "garble", "limit"] as const;
  test.each(kinds.flatMap((kind) => damages.map((fault) => [kind, fault] as const)))(
    "damages its answer to a request (%s: %s): nothing is lost, and nothing is on record twice",
    async (kind, fault) => {
      const server = await host();
      const large = Array.from({ length: 200 }, (_, index) => `${index} ${randomUUID()}`);
      const store = at(server, { timeoutMs: 3_000 });
      await store.append("run-001", 0, large);
      server.fault = once(kind, fault);
      await store.append("run-001", large.length, ["b"]);
      // Another machine has to fetch all of it.
      expect(await at(server).read("run-001")).toEqual([...large, "b"]);
      expect(server.fired).toHaveLength(1);
      expect(server.git("rev-list", "--count", "refs/until-green/run-001/state")).toBe("2");
      expect(server.git("fsck", "--strict")).toBe("");
    },
  );
  test("is permanently unavailable: the error says so, and nothing recorded is lost", async () => {
    const server = await host();
    const environment = machine(server);
    const store = at(server, { environment, timeoutMs: 1_000, patienceMs: 500 });
    const release = await store.hold("run-001");
    await store.append("run-001", 0, ["a"]);
    server.fault = () => "refuse";
    await expect(store.flush?.("run-001")).rejects.toThrow(
      /cannot be reached.*what was recorded is not lost/,
    );
    await release();
    server.fault = undefined;
    const next = at(server, { environment });
    await next.hold("run-001");
    await next.flush?.("run-001");
    expect(await at(server).read("run-001")).toEqual(["a"]);
  });
  test.each<[Fault, string]>([
    ["refuse", "still trying, for at most 60 s"],
    // A host that does not know a token for a moment is asked again, but not for long.
    ["deny", "still trying, for at most 10 s"],
  ])("does not answer for a while (%j): people see what they wait for, and how long", async (fault, says) => {
    const server = await host();
    const messages: string[] = [];
    const store = at(server, { patienceMs: 60_000, notice: (text) => messages.push(text) });
    await store.append("run-001", 0, ["a"]);
    server.fault = () => (messages.length === 0 ? fault : undefined);
    await store.append("run-001", 1, ["b"]);
    expect(messages).toEqual([expect.stringMatching(new RegExp(`does not answer yet \\(.+\\): ${says}$`))]);
  });
  test("hangs once, with the limits we ship: the patience outlasts the exchange", async () => {
    const server = await host();
    const store = at(server, { patienceMs: 12_000 });
    server.fault = once("refs", "hang");
    await store.append("run-001", 0, ["a"]);
    expect(server.fired).toHaveLength(1);
    expect(await at(server).read("run-001")).toEqual(["a"]);
  });
  test.each<Fault>(["forbid", "deny"])(
    "refuses the key once (%s) after it had taken it: it is asked again",
    async (fault) => {
      const server = await host();
      const store = at(server);
      await store.append("run-001", 0, ["a"]);
      server.fault = once("push", fault);
      await store.append("run-001", 1, ["b"]);
      server.fault = once("refs", fault);
      expect(await store.read("run-001")).toEqual(["a", "b"]);
      expect(server.fired).toHaveLength(2);
    },
  );
  test("refuses the key from the first push on: the error says what to give the job", async () => {
    const server = await host();
    server.fault = ({ kind }) => (kind === "push" ? "forbid" : undefined);
    await expect(at(server).append("run-001", 0, ["a"])).rejects.toThrow("permissions: contents: write");
    expect(server.fired).toHaveLength(1);
  });
  test("takes the key no more: the error says so, and names the host instead of our proxy", async () => {
    const server = await host();
    const messages: string[] = [];
    const store = at(server, { patienceMs: 4_000, notice: (text) => messages.push(text) });
    await store.append("run-001", 0, ["a"]);
    server.fault = () => "deny";
    await expect(store.read("run-002")).rejects.toThrow(
      /^\S+\/project\.git no longer accepts the token of this job \(could not read Username for '[^']+\/project\.git'.*\): use one that is valid until the job ends; tokens of GitHub Apps are valid for an hour; what was recorded is not lost$/,
    );
    expect(messages).toEqual([
      expect.stringMatching(/project\.git does not answer yet \(could not read .*project\.git'/),
    ]);
  });
  const periodic = "fails at every request whose number %i divides: the run gets through";
  test.each([3, 4, 5])(periodic, { timeout: 150_000 }, async (period) => {
    const server = await host();
    const store = at(server);
    let requests = 0;
    server.fault = () => (++requests % period === 0 ? "refuse" : undefined);
    await store.append("run-001", 0, ["a"]);
    await store.append("run-001", 1, ["b"]);
    server.fault = undefined;
    expect(await at(server).read("run-001")).toEqual(["a", "b"]);
  });
  test("is given up at once when the process has to end", async () => {
    const server = await host();
    const stop = new AbortController();
    const store = at(server, { stop: stop.signal });
    const release = await store.hold("run-001");
    await store.append("run-001", 0, ["a"]);
    server.fault = () => {
      stop.abort();
      return "hang";
    };
    await expect(store.flush?.("run-001")).rejects.toThrow(/is ending.*what was recorded is not lost/);
    await release();
    expect(server.fired).toHaveLength(1);
  });
  test("is not there: the sentence has git's own reason in it", async () => {
    const store = gitRefStore({
      remote: join(top, "no-such.git"),
      cwd: top,
      environment: {},
      patienceMs: 600,
    });
    await expect(store.read("run-001")).rejects.toThrow(
      /does not appear to be a git repository.*: check its address, and that it exists for these credentials; then try again/,
    );
  });
  test("does not know the token: the sentence says what to give the job", async () => {
    const server = await host();
    const environment = { ...machine(server), GITHUB_TOKEN: "wrong" };
    await expect(at(server, { environment }).read("run-001")).rejects.toThrow("permissions: contents: write");
  });
  test("refuses our refs: the run is kept in branches, with a notice", async () => {
    const server = await host();
    server.preReceive(
      'while read -r _ _ ref; do [[ $ref == refs/heads/* ]] || { echo "no such refs here" >&2; exit 1; }; done',
    );
    const messages: string[] = [];
    await at(server, { notice: (text) => messages.push(text) }).append("run-001", 0, ["a"]);
    expect(messages.join()).toMatch(/accepts no refs outside branches .*branches until-green/);
    const store = at(server);
    await store.append("run-001", 1, ["b"]);
    expect(await store.read("run-001")).toEqual(["a", "b"]);
    expect(await store.list()).toEqual(["run-001"]);
    expect(server.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/until-green/run-001/state");
  });
});

describe("a ref that was moved back", () => {
  const ref = "refs/until-green/run-001/state";
  test("is noticed by a later process of the machine that knew better, which says how to put it there again", async () => {
    const server = await host();
    const environment = machine(server);
    const store = at(server, { environment });
    for (const [index, line] of ["a", "b"].entries()) await store.append("run-001", index, [line]);
    const tip = server.git("rev-parse", ref);
    server.git("update-ref", ref, `${ref}~1`);
    await expect(at(server, { environment }).read("run-001")).rejects.toThrow(
      new RegExp(`${ref} of .* was moved back: this machine knows it at ${tip}\\. .*push .* ${tip}:${ref}`),
    );
    await expect(at(server, { environment }).hold("run-001")).rejects.toMatchObject({
      name: "BrokenLogError",
    });
    server.git("update-ref", ref, tip);
    expect(await at(server, { environment }).read("run-001")).toEqual(["a", "b"]);
  });
  test("is no such ref where the run was deleted and its id taken again", async () => {
    const server = await host();
    const environment = machine(server);
    await at(server, { environment }).append("run-001", 0, ["a"]);
    server.git("update-ref", "-d", ref);
    await at(server).append("run-001", 0, ["other"]);
    expect(await at(server, { environment }).read("run-001")).toEqual(["other"]);
  });
  test.each([
    [
      "a commit that the host lacks",
      "1234567890123456789012345678901234567890",
      ". A machine that has it pushes it again: until-green resume run-001 there",
    ],
    ["nothing that can be read", "no id", ""],
  ])("and names %s is refused with the remedy, and hides no other run", async (_, damage, more) => {
    const server = await host();
    const environment = machine(server);
    const here = at(server, { environment });
    await here.append("run-001", 0, ["a"]);
    await here.append("run-002", 0, ["other"]);
    const tip = server.git("rev-parse", ref);
    writeFileSync(join(server.path, ref), `${damage}\n`);
    const damaged = `run run-001 is damaged at commit .*: ${ref} of .* names it, and the host does not have it`;
    await expect(at(server).read("run-001")).rejects.toThrow(
      new RegExp(`${damaged}. Point its ref back .* or start a new run${more}$`),
    );
    const outcome = await at(server, { environment })
      .read("run-001")
      .then(String, ({ message }: Error) => message);
    expect(outcome).toMatch(
      new RegExp(`${damaged}. .*this machine knows it: .*; then git -C .* push .*${tip}:${ref}$`),
    );
    expect(await at(server).list()).toContain("run-002");
    const many = await at(server).readMany?.(["run-001", "run-002"]);
    expect(many?.get("run-001")?.damage?.message).toMatch("is damaged");
    expect(many?.get("run-002")?.damage).toBeUndefined();
    const commands = outcome.match(/git -C \S+ push \S+ \S+(?=;|$)/g) ?? [];
    if (commands.length === 1) rmSync(join(server.path, ref));
    for (const command of commands)
      execFileSync("sh", ["-c", command.replace(server.url, server.path)], { stdio: "pipe" });
    expect(await at(server).read("run-001")).toEqual(["a"]);
  });
  test.each(["refs/until-green", "refs/heads/until-green"])(
    "and deleted is reported by the machine that knew it, with the command that puts it back (%s)",
    async (space) => {
      const server = await host();
      if (space === "refs/heads/until-green")
        server.preReceive("while read -r _ _ ref; do [[ $ref == refs/heads/* ]] || exit 1; done");
      const environment = machine(server);
      const where = `${space}/run-001/state`;
      await at(server, { environment }).append("run-001", 0, ["a"]);
      const tip = server.git("rev-parse", where);
      server.git("update-ref", "-d", where);
      const [here, other] = [at(server, { environment }), at(server)];
      expect(await here.read("run-001")).toEqual([]);
      const why = here.whyGone?.("run-001") ?? "";
      expect(why).toMatch(`${where} of ${server.url} was deleted; this machine knows it at ${tip}.`);
      expect(await other.read("run-001")).toEqual([]);
      expect(other.whyGone?.("run-001")).toBeUndefined();
      const [, command = ""] = /: (git .*?);/.exec(why) ?? [];
      execFileSync("sh", ["-c", command.replace(server.url, server.path)], { stdio: "pipe" });
      expect(await at(server, { environment }).read("run-001")).toEqual(["a"]);
    },
  );
});

describe("a run killed before its first push", () => {
  test("is listed and shown on its machine, and on no other; a decision there does not count on it", async () => {
    const server = await host();
    const environment = machine(server);
    const dead = at(server, { environment });
    const release = await dead.hold("run-001");
    server.fault = ({ kind }) => (kind === "push" ? "refuse" : undefined);
    await dead.append("run-001", 0, ["a", "b"]);
    const here = at(server, { environment });
    expect(await here.list()).toEqual(["run-001"]);
    expect(await here.preview?.("run-001")).toEqual(["a", "b"]);
    expect(await here.read("run-001")).toEqual([]);
    expect(await at(server).list()).toEqual([]);
    server.fault = undefined;
    await release();
    await at(server).append("run-001", 2, ["c"]);
    expect(await here.preview?.("run-001")).toEqual(["a", "b", "c"]);
    expect(await here.list()).toEqual(["run-001"]);
  });
});
