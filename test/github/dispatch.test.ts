import { expect, test } from "vitest";
import { dispatch } from "../../src/github/dispatch.ts";
import { restHost, status } from "../parts/rest-host.ts";

const wanted = { workflow: ".github/workflows/loop.yml", ref: "main", inputs: { "run-id": "run-001" } };

test.each([
  [404, "Not Found", "there is no workflow .github/workflows/loop.yml on main"],
  [
    403,
    "Resource not accessible by integration",
    "starting a workflow needs the permission `actions: write`",
  ],
  [422, "No ref found for: main", "there is no branch main: it was renamed or deleted"],
  [
    422,
    "Cannot trigger a 'workflow_dispatch' on a disabled workflow",
    ".github/workflows/loop.yml is disabled: enable it in the Actions tab",
  ],
  [
    422,
    "Unexpected inputs provided: run-id",
    ".github/workflows/loop.yml on main cannot be started: it needs `on: workflow_dispatch` with the inputs run-id",
  ],
  [
    422,
    "Workflow does not have 'workflow_dispatch' trigger",
    ".github/workflows/loop.yml on main cannot be started: it needs `on: workflow_dispatch` with the inputs run-id",
  ],
  [
    422,
    "failed to parse workflow: (Line: 5, Col: 3): Unexpected value 'job'",
    ".github/workflows/loop.yml on main cannot be started: failed to parse workflow: (Line: 5, Col: 3): Unexpected value 'job'",
  ],
  [500, "Oops", "the host did not start .github/workflows/loop.yml (500)"],
])(
  "a workflow that GitHub does not start (%s, %s) is an error with its reason",
  async (code, message, reason) => {
    const host = restHost();
    host.answer = () => {
      throw status(code, { message });
    };
    await expect(dispatch(host.location, wanted)).rejects.toMatchObject({ message: reason });
  },
);
