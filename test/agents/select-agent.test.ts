import { describe, expect, test } from "vitest";
import { candidates } from "../../src/agents/index.ts";
import { type Candidate, probeAgents, selectAgent } from "../../src/agents/select-agent.ts";

const found = { command: "/bin/one", version: "1.2.3" };
const one: Candidate = {
  name: "one",
  program: "one",
  find: ({ PATH }) => (PATH === "with-one" ? found : undefined),
  keys: ["ONE_KEY", "ONE_TOKEN"],
  hasLogin: ({ HOME }) => HOME === "logged-in",
  portable: true,
  structured: "submit_result",
};
const two: Candidate = {
  name: "two",
  program: undefined,
  keys: ["TWO_KEY"],
  portable: true,
  structured: "its own flag",
};
const noAgent = "name an agent";

test.each([
  ["the first with program and key", { PATH: "with-one", ONE_TOKEN: "k", TWO_KEY: "k" }, "one"],
  ["the first with program and login", { PATH: "with-one", HOME: "logged-in" }, "one"],
  ["the next where the program is missing", { ONE_KEY: "k", TWO_KEY: "k" }, "two"],
  ["the next where the key is missing", { PATH: "with-one", TWO_KEY: "k" }, "two"],
  ["the next where the key is blank", { PATH: "with-one", ONE_KEY: " ", TWO_KEY: "k" }, "two"],
])("takes %s", (_, environment, name) => {
  expect(selectAgent([one, two], { environment, noAgent }).name).toBe(name);
});

test("where none can work, it says what to do and what each one lacks", () => {
  const none = () => selectAgent([one, two], { environment: { PATH: "with-one" }, noAgent });
  expect(none).toThrow(
    "name an agent. None can be chosen automatically:\n  one: no key ONE_KEY or ONE_TOKEN\n  two: no key TWO_KEY",
  );
});

describe("what is seen", () => {
  test("a login counts as a key, and the variable is named, not its value", () => {
    expect(probeAgents([one], { PATH: "with-one", HOME: "logged-in" })[0]).toMatchObject({
      key: "login",
      found,
    });
    expect(probeAgents([one], { ONE_TOKEN: "k" })[0]).toMatchObject({ key: "ONE_TOKEN", usable: false });
  });
});

test("programs of their own makers come before our own agent", () => {
  const names = candidates.map(({ name }) => name);
  expect(names).toEqual(["claude", "codex", "gemini", "copilot", "opencode", "qwen", "pi", "kimi", "api"]);
});

test("a model on this machine needs no key", () => {
  const api = candidates.filter(({ name }) => name === "api");
  const usable = (OPENAI_BASE_URL: string) => probeAgents(api, { OPENAI_BASE_URL })[0]?.usable;
  expect(usable("http://localhost:11434/v1")).toBe(true);
  expect(usable("https://models.example/v1")).toBe(false);
});
