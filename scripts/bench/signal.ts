import { headAndTail } from "../../src/processes/bounded-output.ts";
import { signalled, stripSignals } from "../../src/stops/signal-text.ts";
import { type Bench, row } from "./bench.ts";
import { byTurns, ms, timed } from "./figures.ts";

/** The search for the signal: in long output, and in output designed to be slow to search. */
export const signal: Bench = {
  async rows(inChild) {
    const megabytes = 100;
    const { ours, floor, captured, copied } = await inChild<Scan>("scan", megabytes);
    const growths = await inChild<Readonly<Record<string, Growth>>>("growth");
    return [
      row(`the signal in ${megabytes} MB of output`, ms, {
        value: ours,
        than: [floor, "Buffer.indexOf"],
        goal: ["≤ 1.5x", ours / floor <= 1.5],
      }),
      row(`${megabytes} MB captured as it comes, then judged`, ms, {
        value: captured,
        than: [copied, "copying them once"],
      }),
      ...Object.entries(growths).map(([name, { once, twice }]) => {
        const goal = ["≤ 2.3x", twice / once <= 2.3] as const;
        return row(`1 MB of ${name}`, ms, { value: twice, than: [once, "half of it"], goal });
      }),
    ];
  },
  measurements: {
    scan: (megabytes) => scan(Number(megabytes)),
    async growth() {
      const growths: Record<string, Growth> = {};
      for (const [name, piece] of Object.entries(hostile)) growths[name] = await growthOf(piece);
      return growths;
    },
  },
};

const word = "COMPLETE";
const tag = `<promise>${word}</promise>`;

interface Scan {
  readonly ours: number;
  readonly floor: number;
  readonly captured: number;
  readonly copied: number;
}

async function scan(megabytes: number): Promise<Scan> {
  const bytes = output(megabytes * 1e6);
  const text = bytes.toString("latin1");
  const look = () => {
    if (signalled(text, word, "any")) throw new Error("there is no signal in it");
  };
  const [ours, floor] = await byTurns(
    7,
    () => timed(look),
    () => timed(() => bytes.indexOf(tag)),
  );
  const target = Buffer.alloc(bytes.length);
  const [captured, copied] = await byTurns(
    7,
    () => timed(() => captureAndJudge(bytes)),
    () => timed(() => bytes.copy(target)),
  );
  return { ours, floor, captured, copied };
}

/** Typical output of a test run. */
function output(size: number): Buffer {
  const line = (index: number) =>
    `ok ${index} - parses <tag ${index % 7}> (${index % 13} ms) at src/parse.test.js:${index % 400}\n`;
  const lines = Array.from({ length: 5_000 }, (_, index) => line(index)).join("");
  return Buffer.alloc(size, lines);
}

const chunk = 64 * 1024;

function captureAndJudge(bytes: Buffer): void {
  const kept = headAndTail(256 * 1024);
  for (let from = 0; from < bytes.length; from += chunk) kept.push(bytes.subarray(from, from + chunk));
  signalled(kept.text(), word, "any");
}

/** Text that slows down a careless pattern. */
const hostile = {
  "blank lines": "\n",
  "`<a`": "<a",
  "unclosed tags": "<promise>",
  "unclosed tags with the signal": `<promise>${word} `,
  "the signal after blank lines": `${" \n".repeat(500)}${word}, or`,
};

interface Growth {
  readonly once: number;
  readonly twice: number;
}

async function growthOf(piece: string): Promise<Growth> {
  const once = piece.repeat(Math.ceil(5e5 / piece.length));
  const twice = once + once;
  // Flat strings, as from a process; Node would store strings over about 1 MiB outside of V8, at another cost.
  const judge = (text: string) => () =>
    timed(() => [signalled(text, word, "any"), stripSignals(text, [word])]);
  const flat = [once, twice].map((text) => Buffer.from(text).toString());
  const [small = "", large = ""] = flat;
  await judge(small)();
  const [first, second] = await byTurns(9, judge(small), judge(large));
  return { once: first, twice: second };
}
