import type { Case } from "../case.ts";
import { brokenChecks } from "./broken.ts";
import { ignoredFiles, installs, needsElsewhere } from "./clones.ts";
import { brokenTasks, configured } from "./configuration.ts";
import { noisyRuns, partialRuns, quietRuns } from "./counts.ts";
import { lookalikes } from "./lookalikes.ts";
import { manifests } from "./manifests.ts";
import { changingNames, renamedTests } from "./names.ts";
import { formattedTests, ownTests, renewedSnapshots } from "./own-tests.ts";
import { plain } from "./plain.ts";
import { acceptedFailures, ownReports } from "./reports.ts";

/** The cases by kind; a kind is what makes a loop doubt the work. */
export const kinds: Readonly<Record<string, readonly Case[]>> = {
  "nothing unusual": plain,
  "a manifest grows": manifests,
  "configuration had to change": configured,
  "the check's own script or target was the bug": brokenTasks,
  "a test was wrong, or follows a change": ownTests,
  "expected results are renewed": renewedSnapshots,
  "a formatter or linter went over tests": formattedTests,
  "files only named like tests or configuration": lookalikes,
  "counts are printed only when red": quietRuns,
  "another part of the tests runs": partialRuns,
  "output that reads like counts": noisyRuns,
  "tests have other names": renamedTests,
  "names that contain values": changingNames,
  "the check needs files that git ignores": ignoredFiles,
  "the check needs its place, home or history": needsElsewhere,
  "a fresh install is not the same": installs,
  "the bug breaks the check itself": brokenChecks,
  "the check accepts failures": acceptedFailures,
  "the project has reports or output of its own": ownReports,
};
