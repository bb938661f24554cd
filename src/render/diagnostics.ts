import type { Diagnostic } from "../plan/diagnostic.ts";

const messageOf = ({ message, hint }: Diagnostic) => (hint === undefined ? message : `${message}\n${hint}`);

/** Diagnostics as workflow commands, which GitHub shows on the lines of a pull request. */
export function asWorkflowCommands(diagnostics: readonly Diagnostic[]): string {
  const lines = diagnostics.map((one) => {
    const level = one.warning ? "warning" : "error";
    const place = `file=${property(one.file)},line=${one.line},col=${one.column},title=${property(one.code)}`;
    return `::${level} ${place}::${data(messageOf(one))}\n`;
  });
  return lines.join("");
}

const data = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Diagnostics as SARIF 2.1.0, which code scanning reads. */
export function asSarif(diagnostics: readonly Diagnostic[], version: string): string {
  const rules = [...new Set(diagnostics.map(({ code }) => code))].sort().map((id) => ({ id }));
  const results = diagnostics.map((one) => ({
    ruleId: one.code,
    level: one.warning ? "warning" : "error",
    message: { text: messageOf(one) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: one.file.split("/").map(encodeURIComponent).join("/") },
          region: { startLine: one.line, startColumn: one.column },
        },
      },
    ],
  }));
  const driver = {
    name: "until-green",
    version,
    informationUri: "https://github.com/until-green/until-green",
    rules,
  };
  const sarif = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, results }],
  };
  return `${JSON.stringify(sarif, null, 2)}\n`;
}
