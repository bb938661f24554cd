import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf, checkoutOf, session, useAction } from "./checkout.ts";

const hostile = [
  "::set-output name=conclusion::owned",
  "  ::error::owned",
  "##[error]owned",
  "##[set-env name=OWNED]yes",
  "::stop-commands::owned",
  "$(touch touched) `touch touched` ; touch touched",
  "'; touch touched; '",
  "${{ secrets.GITHUB_TOKEN }}",
  "conclusion=owned",
  "EOF",
].join("\n");

const file = (text: string) => `name: fix
nodes:
  - id: loop
    loop:
      prompt: $USER_MESSAGE
      until_bash: |
${text.replace(/^/gm, "        ")}
      max_iterations: 1
`;

describe("a hostile text", () => {
  test("as the message is not executed as commands, and reaches the check unchanged", async () => {
    const check = `printf '%s' "$USER_MESSAGE" > seen.txt; printf '%s\\n' "$USER_MESSAGE"; false`;
    const workspace = await checkoutOf({
      "fix.yml": file(check),
      "session.yml": session({ times: 0, say: hostile }),
    });
    const inputs = { workflow: "fix.yml", message: hostile, agent: "scripted:session.yml" };
    const result = await useAction({ workspace, inputs });
    expect(result.outputs).toMatchObject({ conclusion: "failure", "stop-reason": "max-iterations" });
    expect(await readFile(join(workspace, "seen.txt"), "utf8")).toBe(hostile);
    expect(existsSync(join(workspace, "touched"))).toBe(false);
    expect(annotationsOf(result, "error")).toMatchObject([{ title: "until-green: failure" }]);
    expect(result.outputs["final-message"]).toBe(hostile);
  });

  test.each(["prompt", "until", "until-bash", "agent", "model", "run-id", "working-directory", "publish"])(
    "as `%s` sets no output, leaves no file and prints no command",
    async (name) => {
      const workspace = await checkoutOf({ "session.yml": session({ times: 0, say: "Hm." }) });
      const inputs = {
        prompt: "Go",
        "until-bash": "false",
        agent: "scripted:session.yml",
        "max-iterations": "1",
      };
      // What a check runs is the author's own: only quoting is tested there.
      const value = name === "until-bash" ? `cat > /dev/null <<'END'\n${hostile}\nEND\nfalse` : hostile;
      const result = await useAction({ workspace, inputs: { ...inputs, [name]: value } });
      expect(result.outputs["conclusion"]).toBe("failure");
      expect(existsSync(join(workspace, "touched"))).toBe(false);
      expect(annotationsOf(result, "error").map(({ message }) => message)).not.toContain("owned");
    },
  );
});

describe("keys and tokens", () => {
  const secret = "sk-top-secret-0123456789";
  const keys = {
    "anthropic-api-key": `${secret}-a`,
    "openai-api-key": `${secret}-o`,
    "gemini-api-key": `${secret}-g`,
    "github-token": `${secret}-t`,
    "push-token": `${secret}-p`,
  };
  const job = {
    GITHUB_TOKEN: `${secret}-job`,
    ACTIONS_RUNTIME_TOKEN: `${secret}-run`,
    OPENAI_API_KEY: `${secret}-env`,
  };
  /** A host that knows none of these tokens. */
  const strangers = async () => {
    const host = await openGitHubHost();
    onTestFinished(() => host.close());
    return { server_url: host.origin, api_url: host.url };
  };
  // The environment of a check, and that of the processes above it.
  const check =
    'env > seen.txt; tr "\\0" "\\n" < /proc/$PPID/environ > parent.txt; cat /proc/$PPID/fd/0 >> parent.txt';

  test("reach no check", async () => {
    const workspace = await checkoutOf({ "fix.yml": file(check) });
    const inputs = { ...keys, workflow: "fix.yml", agent: "command:echo hi", isolation: "off" };
    const result = await useAction({ workspace, env: job, inputs, github: await strangers() });
    expect(result.outputs["conclusion"], result.log.join("\n")).toBe("success");
    const seen = await readFile(join(workspace, "seen.txt"), "utf8");
    expect(seen).not.toContain(secret);
    // It has command files of its own, and not those of the runner.
    expect(seen).not.toMatch(
      /^(GITHUB_(OUTPUT|ENV|PATH|STATE|STEP_SUMMARY)=(?!.*\/until-green-commands-)|UNTIL_GREEN_INPUT_)/m,
    );
    const parent = await readFile(join(workspace, "parent.txt"), "utf8");
    expect(parent).not.toContain(secret);
  });

  test("are in no output, summary or log, also when the agent says them", async () => {
    const agent =
      'command:echo "$ANTHROPIC_API_KEY $OPENAI_API_KEY $GEMINI_API_KEY"; env | grep -c "secret-[tpj]" || true';
    const inputs = { ...keys, prompt: "Go", "until-bash": "true", agent };
    const result = await useAction({ files: { a: "" }, env: job, inputs, github: await strangers() });
    expect(result.outputs["final-message"]).toBe("*** *** ***\n0");
    expect(JSON.stringify(result)).not.toContain(secret);
  });
});

describe("the runner's files", () => {
  test.each([
    { isolation: "auto", warned: [] },
    { isolation: "off", warned: [{ message: /GITHUB_ENV, GITHUB_PATH, GITHUB_OUTPUT/ }] },
  ])("are as they were with isolation $isolation, whatever the agent wrote into them", async (it) => {
    const agent =
      'command:for f in "$RUNNER_TEMP"/output-* "$RUNNER_TEMP"/env-* "$RUNNER_TEMP"/path-*; do echo "conclusion=owned" >> "$f"; done; echo hi';
    const result = await useAction({
      files: { a: "" },
      inputs: { prompt: "Go", "until-bash": "true", agent, isolation: it.isolation },
    });
    expect(result.outputs["conclusion"]).toBe("success");
    expect(annotationsOf(result, "warning")).toMatchObject(it.warned);
  });
});
