import { createInterface } from "node:readline/promises";

/** Asks the person to choose one; `undefined` without a terminal. */
export async function choose(question: string, from: readonly string[]): Promise<string | undefined> {
  const list = from.map((one, at) => `  ${at + 1}  ${one}\n`).join("");
  for (;;) {
    const answer = await ask(`${question}\n${list}number: `);
    if (answer === undefined) return undefined;
    const meant = from[Number(answer) - 1] ?? from.find((one) => one === answer);
    if (meant !== undefined) return meant;
  }
}

/** Asks for a text; `undefined` without a terminal, if it was closed, or for empty text unless that is allowed. */
export async function ask(
  question: string,
  { orNothing = false }: { readonly orNothing?: boolean } = {},
): Promise<string | undefined> {
  const { stdin: input, stderr: output } = process;
  if (!input.isTTY || !output.isTTY) return undefined;
  const asking = createInterface({ input, output });
  try {
    const closed = new Promise<undefined>((done) => asking.once("close", () => done(undefined)));
    const answer = (await Promise.race([asking.question(question), closed]))?.trim();
    if (answer === undefined) output.write("\n");
    return orNothing ? answer : answer || undefined;
  } finally {
    asking.close();
  }
}
