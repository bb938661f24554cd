import { expect, test } from "vitest";
import { inFolder } from "../../../src/agents/cli/session-files.ts";

test("the folder of a conversation is that of its new checkout, whatever its name", () => {
  const place = {
    workspace: 'C$&$1 "quoted"',
    id: "one",
    folder: "",
    artifacts: "",
    environment: {},
    home: "",
    run,
  };
  const line = inFolder(String.raw`{"id":"one","cwd":"/an \"old\" one","at":1}`, place);
  expect(JSON.parse(line)).toEqual({ id: "one", cwd: place.workspace, at: 1 });
});

const run = async () => true;
