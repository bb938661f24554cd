import { z } from "zod";
import { type Role, roles } from "../../github/permission.ts";
import type { RelatedFacts, RelatedQuery } from "./tip.ts";

/** A file as GraphQL returns it; the text is null if it is binary, or cut off after 512,000 bytes. */
export const blob = z
  .object({ text: z.string().nullish(), isTruncated: z.boolean().nullish() })
  .transform(({ text, isTruncated }) => ({ text: isTruncated ? null : text }))
  .nullish();
const author = z.object({ login: z.string(), __typename: z.string() }).nullish();
const collaborators = z
  .object({
    edges: z
      .array(z.object({ permission: z.string(), node: z.object({ login: z.string() }) }).nullable())
      .nullish(),
  })
  .nullish();

/** GraphQL's answer about facts related to runs. */
export const relatedSchema = z.object({
  talk: z.object({ headRefOid: z.string().optional(), author }).nullish(),
  file: blob,
  collaborators,
});

/** The variable declarations, fields and values of a GraphQL query. */
export function queryRelated({ pull, file, login }: RelatedQuery) {
  const declared = [
    "$path: String!",
    ...(pull === undefined ? [] : ["$pull: Int!"]),
    ...(login === undefined ? [] : ["$login: String!"]),
  ];
  const fields = [
    "file: object(expression: $path) { ... on Blob { text isTruncated } }",
    // An issue has no head: querying it as a pull request is an error.
    ...(pull === undefined
      ? []
      : [
          "talk: issueOrPullRequest(number: $pull) { ... on PullRequest { headRefOid author { login __typename } } ... on Issue { author { login __typename } } }",
        ]),
    ...(login === undefined
      ? []
      : ["collaborators(login: $login, first: 1) { edges { permission node { login } } }"]),
  ];
  return {
    declared: declared.join(", "),
    fields: fields.join("\n    "),
    variables: { path: `HEAD:${file ?? ""}`, pull, login },
  };
}

export function parseRelated(
  read: z.infer<typeof relatedSchema>,
  { file, login }: RelatedQuery,
): RelatedFacts {
  return {
    head: read.talk?.headRefOid,
    author: loginOf(read.talk?.author),
    text: file === undefined ? undefined : textOf(read.file),
    role: login === undefined ? undefined : roleIn(read.collaborators, login),
  };
}

const textOf = (read: z.infer<typeof blob>) =>
  read === null || read === undefined ? "" : (read.text ?? undefined);

/** REST adds this suffix to the login of an app, GraphQL does not. */
const loginOf = (one: z.infer<typeof author>) =>
  one?.__typename === "Bot" && !one.login.endsWith("[bot]") ? `${one.login}[bot]` : one?.login;

/** The role of exactly this user; any other user is looked up by REST. */
function roleIn(response: z.infer<typeof collaborators>, login: string): Role | undefined {
  const edge = response?.edges?.find((one) => one?.node.login.toLowerCase() === login.toLowerCase());
  return roles.find((role) => role === edge?.permission.toLowerCase());
}
