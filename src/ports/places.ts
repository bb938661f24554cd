/** Names in a home folder of what holds keys, logins and what somebody typed; nobody can open them to a program. */
export const keyNames: readonly string[] = [
  ...[".ssh", ".gnupg", ".docker", ".npmrc", ".yarnrc.yml", ".netrc", ".git-credentials", ".pypirc"],
  ...[".config/gh", ".config/glab-cli", ".config/hub", ".config/op", ".config/git/credentials"],
  ...[".aws", ".azure", ".config/gcloud", ".kube", ".oci", ".config/doctl", ".config/hcloud", ".fly"],
  ...[
    ".vault-token",
    ".password-store",
    ".local/share/keyrings",
    ".cargo/credentials.toml",
    ".cargo/credentials",
  ],
  ...[".gem/credentials", ".config/containers/auth.json", ".m2/settings.xml", ".m2/settings-security.xml"],
  ...[
    ".bash_history",
    ".zsh_history",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".Xauthority",
  ],
  ...[".android/adbkey", ".gradle/gradle.properties", ".composer/auth.json", ".config/composer/auth.json"],
];

/** Why a path cannot be opened to programs by `show` or `write`; `undefined` if it may be one. */
export function faultOfPlace(text: string): string | undefined {
  const path = text.replace(/\/+$/, "");
  if (text.trim() === "") return "a path is empty";
  if (text.includes("\0") || text.includes("\n")) return `\`${text.slice(0, 100)}\` is no path`;
  if (tooMuch.test(path))
    return `\`${text}\` would open the whole machine or a home folder: name a folder in it`;
  if (system.test(`${path}/`)) return `\`${text}\` is the kernel's, and each program has its own`;
  const key = keyNames.find((name) => `${path}/`.includes(`/${name}/`));
  return key === undefined
    ? undefined
    : `\`${text}\` holds keys or logins (\`~/${key}\`): no program gets them`;
}

const tooMuch =
  /^(?:|~|\/home|\/root|\/home\/[^/]+|\/Users(?:\/[^/]+)?|\/tmp|\/var|\/run|\/mnt|\/srv|\/etc|\.\.(?:\/\.\.)*)$/;
const system = /^\/(?:proc|sys|dev)\//;

/** Parses a list of paths: one a line, or separated by commas. */
export const placesIn = (text: string): readonly string[] =>
  text
    .split(/[\n,]+/)
    .map((path) => path.trim())
    .filter((path) => path !== "");
