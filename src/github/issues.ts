import { z } from "zod";
import { statusOf } from "./api.ts";
import type { GitHub } from "./client.ts";

export interface IssueText {
  readonly title: string;
  readonly body: string;
}

const issueSchema = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
  pull_request: z.unknown().optional(),
});

/** Reads an issue and its author; `ghost` is a deleted account. */
export async function readIssue(github: GitHub, number: number) {
  const route = "GET /repos/{owner}/{repo}/issues/{issue_number}";
  const { data } = await github.request(route, { ...github.at, issue_number: number });
  const { title, body, user, pull_request: pull } = issueSchema.parse(data);
  return { title, body: body ?? "", by: user?.login ?? "ghost", isPull: Boolean(pull) };
}

/** Our open issue whose body starts with a marker, among the newest 100. */
export async function findIssue(github: GitHub, marker: string): Promise<number | undefined> {
  const { data } = await github.request("GET /repos/{owner}/{repo}/issues", {
    ...github.at,
    state: "open",
    per_page: 100,
  });
  const login = await github.login();
  const isOurs = ({ body, user, pull_request: pull }: z.infer<typeof issueSchema>) =>
    pull === undefined && user?.login === login && body?.startsWith(marker) === true;
  return z.array(issueSchema).parse(data).find(isOurs)?.number;
}

/** Opens an issue and returns its number. */
export async function createIssue(github: GitHub, issue: IssueText): Promise<number> {
  const { data } = await github.request("POST /repos/{owner}/{repo}/issues", { ...github.at, ...issue });
  return data.number;
}

/** Changes the text of an issue, open or closed; `false` if it was deleted. */
export async function updateIssue(github: GitHub, number: number, issue: IssueText): Promise<boolean> {
  const route = "PATCH /repos/{owner}/{repo}/issues/{issue_number}";
  try {
    await github.request(route, { ...github.at, issue_number: number, ...issue });
    return true;
  } catch (error) {
    if (![404, 410].includes(statusOf(error) ?? 0)) throw error;
    return false;
  }
}

/** Posts the reason in an issue, and closes it. */
export async function closeIssue(github: GitHub, number: number, text: string): Promise<void> {
  const at = { ...github.at, issue_number: number };
  await github.request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", { ...at, body: text });
  await github.request("PATCH /repos/{owner}/{repo}/issues/{issue_number}", {
    ...at,
    state: "closed",
    state_reason: "completed",
  });
}
