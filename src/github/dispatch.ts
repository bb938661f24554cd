import { messageOf } from "../ports/message-of.ts";
import { type ApiRepository, statusOf } from "./api.ts";

/** A workflow to start with `workflow_dispatch`. */
export interface Dispatch {
  /** Its file, like `.github/workflows/loop.yml`. */
  readonly workflow: string;
  /** The branch whose file runs. */
  readonly ref: string;
  /** Only ids and hashes: people's text is read again from its source. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** The host did not start the workflow; the message explains the fix. */
export class DispatchError extends Error {
  override readonly name = "DispatchError";
}

/** Starts a workflow of the host; throws `DispatchError`. */
export async function dispatch({ api, owner, repo }: ApiRepository, wanted: Dispatch): Promise<void> {
  const { workflow, ref, inputs } = wanted;
  const file = workflow.slice(workflow.lastIndexOf("/") + 1);
  const route = "POST /repos/{owner}/{repo}/actions/workflows/{file}/dispatches";
  try {
    await api.request(route, { owner, repo, file, ref, inputs });
  } catch (error) {
    throw new DispatchError(whyNot(error, wanted), { cause: error });
  }
}

function whyNot(error: unknown, { workflow, ref, inputs }: Dispatch): string {
  const status = statusOf(error);
  if (status === 404) return `there is no workflow ${workflow} on ${ref}`;
  if (status === 403) return "starting a workflow needs the permission `actions: write`";
  if (status !== 422) return `the host did not start ${workflow} (${status ?? "no answer"})`;
  const message = messageOf(error);
  if (/no ref found/i.test(message)) return `there is no branch ${ref}: it was renamed or deleted`;
  if (/disabled workflow/i.test(message)) return `${workflow} is disabled: enable it in the Actions tab`;
  if (!/workflow_dispatch|\binputs?\b/i.test(message))
    return `${workflow} on ${ref} cannot be started: ${message}`;
  const names = Object.keys(inputs).join(", ");
  return `${workflow} on ${ref} cannot be started: it needs \`on: workflow_dispatch\` with the inputs ${names}`;
}
