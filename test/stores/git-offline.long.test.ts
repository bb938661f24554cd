import { describe, expect, test } from "vitest";
import { openMachines } from "../parts/git-machines.ts";

const { host, machine, at } = openMachines();

describe("a host that does not answer a command that only shows runs", () => {
  test("is asked once; then this machine shows what it knows, and says so", async () => {
    const server = await host();
    const environment = machine(server);
    // It has to reach the host before that hangs, also from a busy machine.
    const dead = at(server, { environment, timeoutMs: 2_000, patienceMs: 2_000 });
    await dead.append("run-001", 0, ["a"]);
    await at(server).append("run-001", 1, ["b"]);
    await dead.read("run-001");
    const released = [await dead.hold("run-001"), await dead.hold("run-002")];
    server.fault = () => "hang";
    await dead.append("run-001", 2, ["c"]);
    await dead.append("run-002", 0, ["never pushed"]);
    for (const release of released) await release();
    const messages: string[] = [];
    const notice = (text: string) => messages.push(text);
    const shown = { forReading: true, timeoutMs: 1_000, patienceMs: 1_000 };
    const later = at(server, { environment, notice, ...shown });
    const before = server.seen.length;
    expect(await later.list()).toEqual(["run-002", "run-001"]);
    expect(await later.preview?.("run-001")).toEqual(["a", "b", "c"]);
    expect(await later.preview?.("run-002")).toEqual(["never pushed"]);
    expect(server.seen.length - before).toBe(1);
    expect(messages).toEqual([
      expect.stringMatching(/cannot be reached \(it does not answer\); this is what this machine knows/),
    ]);
    // A command that writes relies on nothing but the host.
    await expect(later.read("run-001")).rejects.toThrow("cannot be reached");
  });
  test("leaves nothing to show where the run was never seen", async () => {
    const server = await host();
    await at(server).append("run-001", 0, ["a"]);
    server.fault = () => "hang";
    const other = at(server, { forReading: true, timeoutMs: 500, patienceMs: 500 });
    await expect(other.list()).rejects.toThrow("cannot be reached");
    await expect(other.preview?.("run-001")).rejects.toThrow("cannot be reached");
  });
});
