import { describe, expect, test, vi } from "vitest";
import { publishWork } from "../../../action/publish/publish.ts";
import type { SeriesFacts } from "../../../src/api/runs.ts";
import { green, openWork } from "./work-on-host.ts";

vi.setConfig({ testTimeout: 60_000 });

const isGreen = { "state.txt": "green\n" };
const seriesOf = (from: string, conflicts: readonly string[] = []) =>
  ({ from, notes: "", conflicts }) as unknown as SeriesFacts;

describe("the commits of a run", () => {
  test("have the message, the author and the sign-off that the job asks for", async () => {
    const { host, workOf, settingOf } = await openWork();
    const shown = () => host.git.git("log", "-1", "--format=%an <%ae>%n%B", "work");
    const trailers = `Until-Green-Run: ${green.run}\nUntil-Green-Grade: green lines=2`;
    await publishWork(await workOf(isGreen), settingOf({ signoff: "true", "commit-message": "Fix {run}" }));
    const us = "until-green <until-green@users.noreply.github.com>";
    expect(shown()).toBe(`${us}\nFix ${green.run}\n\n${trailers}\nSigned-off-by: ${us}`);
    const ann = "Ann <ann@example.com>";
    const byAnn = settingOf({ signoff: "true", author: ann }, { plan: { branch: "work" } });
    await publishWork(await workOf({ "state.txt": "blue\n" }), byAnn);
    expect(shown()).toBe(
      `${ann}\nfix-tests succeeded: the check passed\n\n${trailers}\nSigned-off-by: ${ann}`,
    );
    await publishWork(await workOf(isGreen), settingOf());
    expect(shown()).toMatch(/^until-green <.*>\nfix-tests succeeded: the check passed\n\n.*\n.*lines=2$/);
  });

  test("of several runs each name their run", async () => {
    const { host, snapshot, workOf, settingOf } = await openWork();
    const others = [{ summary: { ...green, run: "many.2" }, final: await snapshot({ "two.txt": "2\n" }) }];
    const work = await workOf(isGreen, { others, summary: { run: "many.1" } });
    await publishWork(work, settingOf({ signoff: "true" }));
    const log = host.git.git(
      "log",
      "--reverse",
      "--format=%(trailers:separator=%x2C,key=Until-Green-Run,key=Signed-off-by,valueonly)",
      "main..work",
    );
    const us = "until-green <until-green@users.noreply.github.com>";
    expect(log.split("\n")).toEqual([`many.1,${us}`, `many.2,${us}`]);
  });

  test("on top of a person's are one, since early iterations may conflict with theirs", async () => {
    const { host, snapshot, workOf, settingOf, commitOn } = await openWork();
    const theirs = await commitOn("work", { "state.txt": "theirs\n" }, "main");
    const iterations = [{ number: 1, snapshot: await snapshot({ "state.txt": "tried\n" }) }];
    await publishWork(await workOf({ "new.txt": "n\n" }, { iterations }), settingOf({ squash: "false" }));
    expect(host.git.git("rev-parse", "work~1")).toBe(theirs);
    expect(host.git.git("diff", "--name-only", theirs, "work")).toBe("new.txt");
  });
});

describe("a run that started from a person's branch", () => {
  test("adds its changes to it", async () => {
    const { host, workOf, settingOf, commitOn } = await openWork();
    const from = await commitOn("work", { "theirs.txt": "t\n" }, "main");
    const work = await workOf({ "theirs.txt": "better\n", "new.txt": "n\n" });
    await publishWork(work, settingOf({}, { series: seriesOf(from) }));
    expect(host.git.git("rev-parse", "work~1")).toBe(from);
    expect(host.git.git("show", "work:theirs.txt")).toBe("better");
    // Another run would not know that it changes their file.
    await commitOn("work", { "theirs.txt": "t2\n" });
    await expect(publishWork(work, settingOf({}, { series: seriesOf(from) }))).rejects.toThrow(
      "the work conflicts with work, which others have changed (theirs.txt)",
    );
  });

  test("merges the base if that has moved, with the conflicts resolved", async () => {
    const { host, workOf, settingOf, commitOn } = await openWork();
    const ci = ".github/workflows/ci.yml";
    const theirs = { "state.txt": "theirs\n", "CLAUDE.md": "theirs\n", [ci]: "theirs\n" };
    const from = await commitOn("work", theirs, "main");
    const base = await commitOn("main", { "state.txt": "ours\n", [ci]: "ours\n", "other.txt": "o\n" });
    const setting = settingOf({}, { series: seriesOf(from, ["state.txt", "gone.txt"]) });
    const marked = await workOf({ "state.txt": "<<<<<<< a\n=======\n>>>>>>> b\n" }, { base });
    await expect(publishWork(marked, setting)).rejects.toThrow(
      "conflicts with the base are not resolved in state.txt: the next run of this goal tries again",
    );
    const lines = ["<<<<<<< a\nboth\n", "both\n>>>>>>> b\n", "ours\n=======\ntheirs\n"];
    for (const line of lines)
      await expect(publishWork(await workOf({ "state.txt": line }, { base }), setting)).rejects.toThrow(
        "conflicts with the base are not resolved in state.txt",
      );
    await publishWork(await workOf({ "state.txt": "both\n" }, { base }), setting);
    expect(host.git.git("log", "-1", "--format=%s %P", "work~1")).toBe(
      `Merge ${base.slice(0, 12)} ${from} ${base}`,
    );
    expect(host.git.git("show", "work:state.txt")).toBe("both");
    // A person may change what a run may not, unless the base has changed it as well.
    expect(host.git.git("diff", "--name-only", base, "work").split("\n")).toEqual(["CLAUDE.md", "state.txt"]);
    expect(host.git.git("show", "work:CLAUDE.md")).toBe("theirs");
  });

  test("publishes none of git's markers in another file either, nor without a record of the goal", async () => {
    const { host, workOf, settingOf } = await openWork();
    for (const sign of ["<<<<<<<", ">>>>>>>"]) {
      const work = await workOf({ "moved.txt": `green\n${sign} ${"314ed42a".repeat(5)}\n` });
      await expect(publishWork(work, settingOf())).rejects.toThrow(
        "conflicts with the base are not resolved in moved.txt",
      );
    }
    await publishWork(await workOf({ "doc.md": "Heading\n=======\n" }), settingOf());
    expect(host.git.git("show", "work:doc.md")).toBe("Heading\n=======");
  });

  test("adds to it also if the base has all of it by now", async () => {
    const { host, workOf, settingOf, commitOn } = await openWork();
    const from = await commitOn("work", { "theirs.txt": "t\n" }, "main");
    const base = await commitOn("main", { "theirs.txt": "t\n" });
    await publishWork(
      await workOf({ "new.txt": "n\n" }, { base }),
      settingOf({}, { series: seriesOf(from) }),
    );
    expect(host.git.git("rev-parse", "work~1")).toBe(from);
    expect(host.git.git("diff", "--name-only", from, "work")).toBe("new.txt");
  });
});
