import { z } from "zod";
import { type Role, roles } from "../../github/permission.ts";
import type { Around, Beside } from "./tip.ts";

/** A file as GraphQL answers it. */
export const blob = z.object({ text: z.string().nullish() }).nullish();
const author = z.object({ login: z.string(), __typename: z.string() }).nullish();
const collaborators = z
  .object({
    edges: z
      .array(z.object({ permission: z.string(), node: z.object({ login: z.string() }) }).nullable())
      .nullish(),
  })
  .nullish();

/** What GraphQL answers of what lies beside runs. */
export const aroundSchema = z.object({
  pullRequest: z.object({ headRefOid: z.string(), author }).nullish(),
  beside: blob,
  collaborators,
});

/** The words of a question that ask for it, and what they stand for. */
export function askAround({ pull, file, login }: Beside) {
  const declared = [
    "$path: String!",
    ...(pull === undefined ? [] : ["$pull: Int!"]),
    ...(login === undefined ? [] : ["$login: String!"]),
  ];
  const fields = [
    "beside: object(expression: $path) { ... on Blob { text } }",
    ...(pull === undefined ? [] : ["pullRequest(number: $pull) { headRefOid author { login __typename } }"]),
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

/** Reads the answer. */
export function readAround(read: z.infer<typeof aroundSchema>, { file, login }: Beside): Around {
  return {
    head: read.pullRequest?.headRefOid,
    author: loginOf(read.pullRequest?.author),
    text: file === undefined ? undefined : textOf(read.beside),
    role: login === undefined ? undefined : roleIn(read.collaborators, login),
  };
}

const textOf = (read: z.infer<typeof blob>) =>
  read === null || read === undefined ? "" : (read.text ?? undefined);

/** Elsewhere the login of a program ends so, and here it does not. */
const loginOf = (one: z.infer<typeof author>) =>
  one?.__typename === "Bot" && !one.login.endsWith("[bot]") ? `${one.login}[bot]` : one?.login;

/** Only of that very person; whoever is not told of here is asked for by their own route. */
function roleIn(told: z.infer<typeof collaborators>, login: string): Role | undefined {
  const edge = told?.edges?.find((one) => one?.node.login.toLowerCase() === login.toLowerCase());
  return roles.find((role) => role === edge?.permission.toLowerCase());
}
