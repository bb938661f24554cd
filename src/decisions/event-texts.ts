/**
 * The texts in an event that strangers may have written: all but what the event says of the repository itself, and
 * words that GitHub chooses. A list of fields to mark would miss one; a list of fields to leave cannot.
 */
export function strangersTexts(event: unknown): readonly string[] {
  const own = new Set(ownParts(event).flatMap((part) => textsIn(part)));
  return textsIn(event).filter((text) => text.length >= shortest && !own.has(text));
}

/** Shorter texts occur in any message by chance. */
const shortest = 4;

/** The parts that only people who may write to the repository have chosen. */
function ownParts(event: unknown): readonly unknown[] {
  const { repository, organization, enterprise, client_payload, ...rest } = fieldsOf(event);
  // Branches of the repository itself, and apps that its owners have installed.
  const inner = Object.values(rest).flatMap((part) => {
    const { base, app } = fieldsOf(part);
    return [base, app];
  });
  // Whoever may start a workflow by hand is trusted.
  const isByHand = Object.hasOwn(rest, "inputs");
  const start = isByHand ? [rest["ref"], rest["sender"], rest["workflow"]] : [];
  // A workflow that runs after another one names it.
  const { name } = fieldsOf(rest["workflow"]);
  return [repository, organization, enterprise, name, rest["schedule"], ...inner, ...start];
}

const fieldsOf = (value: unknown) =>
  (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>;

/** All texts of a part of an event; `key` is the field that holds it. */
function textsIn(part: unknown, key = ""): readonly string[] {
  if (typeof part === "string") return isGitHubs(key, part) ? [] : namesIn(part.trim());
  if (Array.isArray(part)) return part.flatMap((each) => textsIn(each, key));
  return Object.entries(fieldsOf(part)).flatMap(([name, value]) => {
    // Inputs are set by people who may start workflows: they are trusted.
    if (name === "inputs") return [];
    return textsIn(value, key === "permissions" ? key : name);
  });
}

/** A ref has two names: workflows also know the branch or tag alone. */
function namesIn(text: string): readonly string[] {
  const short = text.replace(/^refs\/(heads|tags)\//, "");
  return short === text ? [text] : [text, short];
}

/** Commits, addresses (names in them have fields of their own), and single words in fields with a fixed choice. */
const isGitHubs = (key: string, text: string) =>
  /^[\da-f]{40}$/.test(text) || /(^|_)url$/.test(key) || (chosen.has(key) && /^[a-z]+$/i.test(text));

const chosen = new Set([
  ...["action", "state", "state_reason", "status", "conclusion", "event", "type", "visibility", "side"],
  ...["author_association", "mergeable_state", "merge_method", "user_view_type", "ref_type", "pusher_type"],
  ...["permissions", "events", "active_lock_reason", "subject_type", "color"],
]);
