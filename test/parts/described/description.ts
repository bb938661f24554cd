import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

/** The folder with the descriptions and their readers. */
export const tools = resolve("tools/openapi");

type Json = Readonly<Record<string, unknown>>;

interface Description extends Json {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: Readonly<Record<string, Json>>;
}

/** The part of GitHub's API that we may call: reading all of it takes a minute. */
const used =
  /^(\/app(\/|$)|\/graphql|\/rate_limit|\/user$|\/users\/\{username\}$|\/orgs\/\{org\}\/teams\/|\/repos\/\{owner\}\/\{repo\}(\/(git|issues|pulls|check-runs|check-suites|commits|compare|contents|branches|collaborators|rules|rulesets|actions\/(runs|workflows)|dispatches|installation)(\/|$)|$))/;

/** GitHub's description of that part of its REST API, with everything it references. */
export function readDescription(): Description {
  const file = join(tools, "node_modules/@octokit/openapi/generated/api.github.com.json");
  const whole = JSON.parse(readFileSync(file, "utf8")) as Description;
  const paths = Object.fromEntries(Object.entries(whole.paths).filter(([path]) => used.test(path)));
  const components: Record<string, Record<string, unknown>> = {};
  const bring = (part: unknown): void => {
    for (const [, kind = "", name = ""] of refsIn(part)) {
      if (components[kind]?.[name] !== undefined) continue;
      const part = whole.components[kind]?.[name];
      components[kind] = { ...components[kind], [name]: part };
      bring(part);
    }
  };
  bring(paths);
  const { openapi, info, servers } = whole;
  return { openapi, info, servers, paths, components };
}

const refsIn = (part: unknown) =>
  JSON.stringify(part).matchAll(/"\$ref":"#\/components\/([\w-]+)\/([\w.-]+)"/g);

/** Finds the described path that matches a path. */
export function pathFinder({ paths }: Pick<Description, "paths">): (path: string) => string | undefined {
  const patterns = Object.keys(paths).map((template) => {
    const literals = template.split(/\{[\w-]+\}/).map((part) => part.replace(/[.+]/g, "\\$&"));
    return { template, pattern: new RegExp(`^${literals.join("[^/]+")}$`), wild: literals.length };
  });
  // Literal segments take precedence over parameters.
  patterns.sort((a, b) => a.wild - b.wild);
  return (path) => patterns.find(({ pattern }) => pattern.test(path))?.template;
}

/** The errors of a GraphQL query, according to GitHub's own schema. */
export function openGraphSchema(): (query: string) => readonly string[] {
  const load = createRequire(join(tools, "package.json"));
  const { buildSchema, parse, validate } = load("graphql");
  const schema = readFileSync(join(tools, "node_modules/@octokit/graphql-schema/schema.graphql"), "utf8");
  const built = buildSchema(schema, { assumeValidSDL: true });
  return (query) => {
    try {
      return validate(built, parse(query)).map(String);
    } catch (error) {
      return [String(error)];
    }
  };
}
