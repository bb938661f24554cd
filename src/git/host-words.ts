/** Why a host refuses a push for good, in the host's own words, and what to do. */
export interface Refusal {
  /** A clause: `because …`. */
  readonly why: string;
  readonly remedy: string;
}

interface Row {
  /** What the host says. */
  readonly says: RegExp;
  /** The clause, from the match and the whole text. */
  readonly why: (found: RegExpExecArray, text: string) => string;
  readonly remedy: (found: RegExpExecArray, place: Place) => string;
}

interface Place {
  readonly text: string;
  /** The branch or ref that was pushed to, if it is known. */
  readonly branch: string;
}

/** What GitHub, git and ssh say, one row each; the first that matches counts. docs/troubleshooting.md explains them. */
const rows: readonly Row[] = [
  {
    says: /GITHUB PUSH PROTECTION|Push cannot contain secrets|\bGH009\b/i,
    why: (_, text) => `push protection found a secret${inBrackets(secretsIn(text))}`,
    remedy: (_, { text }) => {
      const link = /https:\/\/\S+\/unblock-secret\/\S+/.exec(text)?.[0];
      const allow = link === undefined ? "in the repository's security settings" : `at ${link}`;
      return `remove it from the file and revoke it; or, if it is none, allow it ${allow} and run again`;
    },
  },
  {
    says: /\bGH013\b/,
    why: (_, text) => `the repository's rules forbid it${inBrackets(rulesIn(text))}`,
    remedy: (_, { branch }) =>
      `exclude \`${branch}\` from them (Settings → Rules → Rulesets), or give a \`push-token\` of somebody on their bypass list`,
  },
  {
    says: /\bGH006\b/,
    why: (_, text) => `the repository's rules forbid it${inBrackets(rulesIn(text))}`,
    remedy: () =>
      "publish with `publish: pull-request`, or let the account that pushes bypass the protection (Settings → Branches)",
  },
  {
    says: /\bGH008\b|unknown Git LFS object/i,
    why: () => "a file is stored by Git LFS, and its content was not uploaded",
    remedy: () =>
      "list it in .gitignore, or take it out of .gitattributes: until-green does not upload what Git LFS stores",
  },
  {
    says: /over its data quota|LFS .{0,40}(?:budget|quota)/i,
    why: () => "the account's quota for Git LFS is used up",
    remedy: () => "raise it (the owner's Settings → Billing), or list the file in .gitignore",
  },
  {
    says: /File (\S.*?) is ([\d.]+ [MG]B); this exceeds .*?file size limit of ([\d.]+ [MG]B)|\bGH001\b/,
    why: ([, file, size, limit]) =>
      file === undefined ? "a file is too large" : `${file} has ${size}, and the limit is ${limit}`,
    remedy: () => "list it in .gitignore, or make it smaller",
  },
  {
    says: /pack exceeds maximum allowed size|\bHTTP 413\b|Request Entity Too Large|error: 413\b/i,
    why: () => "the push is larger than the host accepts",
    remedy: () => "list large files in .gitignore; a proxy before the host may have a limit of its own",
  },
  {
    says: /\bGH007\b/,
    why: () => "a commit has an email address that its owner keeps private",
    remedy: () =>
      "use the address that ends in @users.noreply.github.com, or allow it (the owner's Settings → Emails)",
  },
  {
    says: /shallow update not allowed/i,
    why: () => "the checkout lacks history that the host no longer has",
    remedy: () => "check out with `fetch-depth: 0`",
  },
  {
    says: /key you are authenticating with has been marked as read only/i,
    why: () => "this deploy key may only read",
    remedy: () => "add it again with write access (Settings → Deploy keys), or use another key",
  },
  {
    says: /(?:The '([^'\n]+)' organization|organization) has enabled or enforced SAML|organization SAML enforcement/i,
    why: ([, name]) =>
      `${name === undefined ? "the organization" : name} requires single sign-on for this token or key`,
    remedy: (_, { text }) =>
      `authorize it for the organization with **Configure SSO** (${/https:\/\/\S*sso\S*/.exec(text)?.[0] ?? "https://github.com/settings/tokens"})`,
  },
  {
    says: /(?:The '([^'\n]+)' organization )?has an IP allow list enabled/i,
    why: ([, name]) => `${name ?? "the organization"} accepts no requests from the address of this machine`,
    remedy: () => "use a runner whose address is on the organization's IP allow list",
  },
  {
    says: /refusing to allow .* (?:create or )?update workflow `?([^\s`]+)`?/i,
    why: ([, file]) => `this token may not change workflow files (${file})`,
    remedy: () =>
      "give a token that may as `push-token`: with the scope `workflow`, or the permission `workflows`",
  },
  {
    says: /archived so (?:it )?is read-only/i,
    why: () => "the repository is archived",
    remedy: () => "unarchive it",
  },
  {
    says: /Repository '[^']*' is disabled|Your account is suspended|access blocked/i,
    why: ([words]) => `the host says: ${words}`,
    remedy: () => "ask the repository's owner to look at the account",
  },
  {
    says: /'refs\/heads\/([^']+)' exists; cannot create 'refs\/heads\/([^']+)'|\(directory file conflict\)/,
    why: ([, there, wanted]) =>
      there === undefined
        ? "a branch has the name of one of its folders"
        : `the branch ${there} exists, so there can be none with the name ${wanted}`,
    remedy: () => "rename or delete that branch, or set `branch`",
  },
];

/** Why a host refused a push for good, and what to do; `undefined` for anything else, which may pass. */
export function refusalIn(text: string, branch = "the branch"): Refusal | undefined {
  for (const { says, why, remedy } of rows) {
    const found = says.exec(text);
    if (found !== null)
      return { why: why(found, text).slice(0, mostOfWhy), remedy: remedy(found, { text, branch }) };
  }
  return undefined;
}

const mostOfWhy = 600;

const inBrackets = (words: string) => (words === "" ? "" : ` (${words})`);

/** `GitHub Personal Access Token in a.txt:4`; each kind is between dashes, above its places. */
function secretsIn(text: string): string {
  const kinds = text.split(/^remote:\s*——+ (.+?) —+\s*$/m).slice(1);
  const found = kinds.flatMap((kind, at) => {
    if (at % 2 === 1) return [];
    const places = [...(kinds[at + 1] ?? "").matchAll(/^remote:\s*path: (\S.*?)\s*$/gm)].map(
      ([, path]) => path,
    );
    return [[kind, ...(places.length === 0 ? [] : ["in", places.slice(0, 3).join(", ")])].join(" ")];
  });
  if (found.length > 0) return found.slice(0, 3).join("; ");
  const [, path] = /^remote:\s*path: (\S.*?)\s*$/m.exec(text) ?? [];
  return path === undefined ? "" : `in ${path}`;
}

/** What each rule says, or else the line with the code. */
function rulesIn(text: string): string {
  const rules = [...text.matchAll(/^remote:[ \t]+(?:error: (?!GH0)|- |(?=path: ))(.*\S)/gm)].map(
    ([, rule]) => rule,
  );
  const code = /^remote:.*\bGH0(?:06|13): (.*\S)/m.exec(text)?.[1] ?? "";
  return rules.length > 0 ? rules.join(" ") : code;
}
