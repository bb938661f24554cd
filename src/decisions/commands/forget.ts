import { general, type Unclear } from "./command.ts";

/** Forgets notes of the goal of this pull request. */
export const forget = general({
  name: "forget",
  takes: "[number]",
  group: "go on",
  doc: "removes a note that an attempt left for later attempts, or all of them",
  more: "the pull request shows the numbers",
  read(text): Unclear | { readonly number: number | undefined } {
    if (text === "") return { number: undefined };
    if (/^[1-9]\d?$/.test(text)) return { number: Number(text) };
    return { unclear: "`forget` takes the number of a note, or nothing for all: `/workflow forget 2`" };
  },
  act: (host, { number }) => host.forgetNotes(number),
});
