import { fault, type Reply, type Route } from "./ask.ts";

/** Refuses requests that are too long or too many for GitHub; the emulator would accept them. */
export const limits: Route = ({ method, path, body }) => {
  if (method !== "POST" && method !== "PATCH") return undefined;
  if (path.endsWith("/check-runs") || /\/check-runs\/\d+$/.test(path)) return checkLimits(body);
  if (!/\/(issues|pulls)(\/|$)/.test(path)) return undefined;
  return tooLong(body["body"], 65_536, "body") ?? tooLong(body["title"], 256, "title");
};

function tooLong(value: unknown, most: number, field: string): Reply | undefined {
  if (typeof value !== "string" || value.length <= most) return undefined;
  const message = `${field} is too long (maximum is ${most} characters)`;
  return fault(422, "Validation Failed", [{ resource: "IssueComment", code: "custom", field, message }]);
}

interface Output {
  readonly title?: unknown;
  readonly summary?: unknown;
  readonly text?: unknown;
  readonly annotations?: readonly unknown[];
}

interface Action {
  readonly label?: string;
  readonly description?: string;
  readonly identifier?: string;
}

function checkLimits(body: Readonly<Record<string, unknown>>): Reply | undefined {
  const output = (body["output"] ?? {}) as Output;
  const actions = (body["actions"] ?? []) as readonly Action[];
  if (body["output"] !== undefined && (!output.title || !output.summary))
    return fault(422, 'Invalid request.\n\n"summary", "title" weren\'t supplied.');
  if ((output.annotations?.length ?? 0) > 50)
    return fault(422, "Invalid request.\n\nNo more than 50 items are allowed; got more.");
  if (actions.length > 3)
    return fault(422, "Invalid request.\n\nNo more than 3 items are allowed; got more.");
  const wrong = actions.find(
    ({ label = "", description = "", identifier = "" }) =>
      [label, description, identifier].includes("") ||
      label.length > 20 ||
      description.length > 40 ||
      identifier.length > 20,
  );
  if (wrong !== undefined)
    return fault(422, `Invalid request.\n\nAn action is wrong: ${JSON.stringify(wrong)}`);
  return tooLong(output.summary, 65_535, "summary") ?? tooLong(output.text, 65_535, "text");
}
