/** The isolation keys; see SECURITY.md. */
export const wallWords = {
  isolation:
    "[Isolation](../SECURITY.md#isolation) of programs: `auto` uses what the machine supports, `required` refuses to start without full isolation, `off` disables it. The input and `--isolation` override it; default `auto`.",
  network: {
    what: "The [hosts](../SECURITY.md#network) that programs may reach. Default: every host.",
    values: "list of hosts, or `none`",
  },
};

/** The keys that open further places to the programs of a workflow. */
export const placeWords = {
  show: {
    what: "Further files, folders and sockets that programs may [read](../SECURITY.md#isolation): absolute, below `~/`, or relative to the checkout.",
    values: "list of paths",
  },
  write: {
    what: "Further files and folders that programs may write.",
    values: "list of paths",
  },
};
