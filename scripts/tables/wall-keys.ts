/** The isolation keys; see SECURITY.md. */
export const wallWords = {
  isolation:
    "[Isolation](../SECURITY.md#isolation) of programs: `auto` uses what the machine supports, `required` refuses to start without full isolation, `off` disables it. The input and `--isolation` override it; default `auto`.",
  network: {
    what: "The [hosts](../SECURITY.md#network) that programs may reach. Default: every host.",
    values: "list of hosts, or `none`",
  },
};
