/**
 * The hosts that programs of a run may reach, as the author wrote them: names, `*.names`, presets; an empty list
 * allows none.
 */
export type NetworkRule = readonly string[];

/** Named sets of hosts: only what tools need to fetch packages. */
export const networkPresets: Readonly<Record<string, readonly string[]>> = {
  npm: ["registry.npmjs.org", "registry.yarnpkg.com"],
  pypi: ["pypi.org", "files.pythonhosted.org"],
  github: [
    ...["github.com", "api.github.com", "codeload.github.com", "objects.githubusercontent.com"],
    ...["raw.githubusercontent.com", "release-assets.githubusercontent.com"],
  ],
  crates: ["crates.io", "index.crates.io", "static.crates.io"],
  go: ["proxy.golang.org", "sum.golang.org"],
  maven: ["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "plugins-artifacts.gradle.org"],
  rubygems: ["rubygems.org", "index.rubygems.org"],
  nuget: ["api.nuget.org"],
  packagist: ["repo.packagist.org", "packagist.org"],
  debian: ["deb.debian.org", "security.debian.org"],
  ubuntu: ["archive.ubuntu.com", "security.ubuntu.com", "azure.archive.ubuntu.com"],
};

/** Why a text is not a host; `undefined` if it is. */
export function faultOfHost(text: string): string | undefined {
  if (Object.hasOwn(networkPresets, text)) return undefined;
  const { host, port } = partsOf(text);
  const isName = namePattern.test(host.replace(/^\*\./, "")) && (host.includes(".") || host === "localhost");
  if (!isName)
    return `\`${text.slice(0, 100)}\` is neither a host, such as \`example.com\` or \`*.example.com:8443\`, nor one of ${Object.keys(networkPresets).join(", ")}`;
  if (port !== undefined && (port < 1 || port > 65_535)) return `\`${text}\` has no port from 1 to 65535`;
  if (host === "localhost" && port === undefined) return "`localhost` needs a port, such as `localhost:5432`";
  return undefined;
}

const namePattern = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/** True if a program may reach a host: by its exact name, and on ports 80 and 443 unless a port is named. */
export function isReachable(rule: NetworkRule, { host, port }: { host: string; port: number }): boolean {
  const name = nameOf(host);
  // Another proxy could read `evil.example/.example.com` as `evil.example`.
  if (!/^\w[\w.-]*$/.test(name)) return false;
  return entriesOf(rule).some((allowed) => {
    if (allowed.port === undefined ? port !== 80 && port !== 443 : port !== allowed.port) return false;
    return allowed.host.startsWith("*.") ? name.endsWith(allowed.host.slice(1)) : name === allowed.host;
  });
}

/** Whether a rule lists exactly this host, not only a `*.` entry that covers it. */
export const isNamed = (rule: NetworkRule, host: string): boolean =>
  entriesOf(rule).some((allowed) => allowed.host === nameOf(host));

const nameOf = (host: string) => host.toLowerCase().replace(/\.$/, "");

const entriesOf = (rule: NetworkRule) =>
  rule.flatMap((entry) => networkPresets[entry] ?? [entry]).map(partsOf);

/** The local ports that a rule opens. */
export const localPorts = (rule: NetworkRule): readonly number[] =>
  rule.map(partsOf).flatMap(({ host, port }) => (host === "localhost" && port !== undefined ? [port] : []));

/** Parses a list of hosts on one line; `none` is the empty list. */
export const hostsIn = (text: string): NetworkRule => {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  return entries.length === 1 && entries[0] === "none" ? [] : entries;
};

function partsOf(entry: string): { readonly host: string; readonly port: number | undefined } {
  const [, host = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  return { host, port: port === undefined ? undefined : Number(port) };
}
