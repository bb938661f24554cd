import { basename } from "node:path";
import { hasToken } from "../ports/redact-tokens.ts";

/** What is known about a file that may hold credentials. */
export interface Suspect {
  readonly path: string;
  readonly body: string;
  /** True if only its owner may read it. Git does not keep this, so no commit brought the file. */
  readonly isPrivate: boolean;
}

/** Whether a tool stores credentials in a file with this name, and it contains some. */
export const isLogin = ({ path, body }: Pick<Suspect, "path" | "body">): boolean =>
  /^gha-creds-[\w-]+\.json$/.test(basename(path)) ||
  logins.some(({ name, holds }) => name.test(path) && holds.test(body));

/**
 * Whether a file that was there before the run holds credentials, whatever its name. An agent's own files are not
 * asked: tests often have examples.
 */
export const holdsCredentials = (suspect: Suspect): boolean =>
  isLogin(suspect) ||
  hasToken(suspect.body) ||
  logins.some(({ holds, isPlain }) => isPlain !== true && holds.test(suspect.body)) ||
  (suspect.isPrivate && privateKey.test(suspect.body));

/** A value that is no reference to a variable, such as `${NPM_TOKEN}`. */
const value = String.raw`["']?[^\s"'$<{}][^\s"'$<{}]{7,}`;
const assigned = (names: string) => new RegExp(String.raw`^\s*(?:${names})\s*[=:]\s*${value}`, "mi");

const googleType = String.raw`"type"\s*:\s*"(?:service_account|authorized_user|external_account\w*)"`;
const googleSecret = String.raw`"(?:private_key|refresh_token|credential_source)"\s*:`;
const google = new RegExp(String.raw`(?=[\s\S]*${googleType})(?=[\s\S]*${googleSecret})^\s*\{`);

/** Where tools store logins, and how these look; `isPlain` if other files look alike. */
const logins: readonly { readonly name: RegExp; readonly holds: RegExp; readonly isPlain?: true }[] = [
  { name: /(?:^|\/)\.npmrc$/, holds: new RegExp(String.raw`:_(?:authToken|auth|password)\s*=\s*${value}`) },
  { name: /(?:^|\/)\.yarnrc\.yml$/, holds: assigned("npmAuthToken|npmAuthIdent") },
  { name: /(?:^|\/)[._]netrc$/, holds: /^\s*machine\s+\S+\s[^#]*?\bpassword\s+\S/m },
  { name: /(?:^|\/)\.pypirc$/, holds: assigned("password"), isPlain: true },
  { name: /(?:^|\/)\.?git-credentials$/, holds: /^https?:\/\/[^\s/:@]+:[^\s/@]+@\S+$/m },
  {
    name: /(?:^|\/)\.docker\/config\.json$/,
    holds: /"auths"\s*:[\s\S]*"(?:auth|identitytoken|password)"\s*:\s*"[^"$]{4}/,
  },
  {
    name: /(?:^|\/)\.kube\/config$/,
    holds: /^kind:\s*Config\b[\s\S]*^\s*(?:client-key-data|token|password):\s*[^\s$<]/m,
  },
  { name: /(?:^|\/)\.aws\/credentials$/, holds: assigned("aws_secret_access_key|aws_session_token") },
  {
    name: /(?:^|\/)application_default_credentials\.json$/,
    holds: google,
  },
  { name: /(?:^|\/)\.(?:cargo|gem|terraform\.d|pulumi)\/credentials[\w.]*$/, holds: /\S/, isPlain: true },
];

const privateKey = /^-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/m;
