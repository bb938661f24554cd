import { strangersTexts } from "./event-texts.ts";

/** Characters that change how text looks, or hide in it. */
export const unseen = /(?![\t\n])\p{Cc}|\p{Cf}|[\u115f\u1160\u3164\uffa0\u2800]/u;
const allUnseen = new RegExp(unseen.source, "gu");

/** The text as a reader of the page sees it, without HTML comments and invisible characters. */
export const visibleText = (raw: string): string =>
  withoutHidden(raw.toWellFormed()).replace(allUnseen, "").trim();

/** Removes HTML comments, which the page does not show; an unclosed one hides the rest. */
function withoutHidden(text: string): string {
  const parts: string[] = [];
  for (let at = 0; ; ) {
    const start = text.indexOf("<!--", at);
    parts.push(text.slice(at, start < 0 ? undefined : start));
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4);
    if (end < 0) return parts.join("");
    at = end + 3;
  }
}

/**
 * The visible part of an untrusted message: one that contains a text of the event that started the job, such as a
 * title, a comment, or the name of a branch. A message by the workflow's author is unchanged.
 */
export function strangersMessage(
  message: string,
  event: unknown,
): { readonly message: string; readonly strangers?: true } {
  const isTheirs = isComment(event) || isOf(event, message);
  return isTheirs ? { message: visibleText(message), strangers: true } : { message };
}

/** The same for the inputs of a workflow. */
export function strangersInputs(
  inputs: Readonly<Record<string, string>>,
  event: unknown,
): { readonly inputs: Readonly<Record<string, string>>; readonly strange_inputs?: string[] } {
  const names = Object.keys(inputs).filter((name) => isOf(event, inputs[name] ?? ""));
  if (names.length === 0) return { inputs };
  const cleaned = names.map((name) => [name, visibleText(inputs[name] ?? "")]);
  return { inputs: { ...inputs, ...Object.fromEntries(cleaned) }, strange_inputs: names };
}

/** Whether a text holds one of a stranger, also as `toJSON` writes it, once or twice. */
function isOf(event: unknown, visible: string): boolean {
  const once = unescaped(visible);
  const forms = [visible, once, unescaped(once)];
  return strangersTexts(event).some((text) => forms.some((form) => form.includes(text)));
}

/** JSON's escapes, whichever of them a writer chose, as the characters that they stand for. */
const unescaped = (text: string) =>
  text.replace(/\\(?:u[\da-f]{4}|["\\/bfnrt])/gi, (escaped) => {
    try {
      return JSON.parse(`"${escaped}"`) as string;
    } catch {
      return escaped;
    }
  });

/** True if this job was dispatched for a comment, whose text is the message. */
const isComment = (event: unknown) =>
  Object.hasOwn((event as { inputs?: object | null } | undefined)?.inputs ?? {}, "comment-id");
