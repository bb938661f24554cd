/** A job that a schedule started, as far as publishing looks at it. */
export const site = {
  server: "https://github.example",
  api: "",
  repository: "o/r",
  job: "https://github.example/o/r/actions/runs/7",
  event: "schedule",
  pull: undefined,
  fork: undefined,
  branch: undefined,
  head: undefined,
};
