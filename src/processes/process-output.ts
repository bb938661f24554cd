import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { headAndTail, tailBuffer } from "./bounded-output.ts";
import { makeFolder } from "./make-folder.ts";
import { shownByTerminal, terminalText } from "./terminal-text.ts";

export interface OutputCaptureOptions {
  readonly onText?: ((text: string, from: "stdout" | "stderr") => void) | undefined;
  readonly keepBytes?: number | undefined;
  readonly saveTo?: string | undefined;
}

export type OutputCapture = ReturnType<typeof captureOutput>;

/** Captures what a process prints, in bounded memory. */
export function captureOutput({ onText, keepBytes = 256 * 1024, saveTo }: OutputCaptureOptions) {
  const stdout = headAndTail(keepBytes);
  const stderr = shownTail();
  const tail = shownOutput();
  const file = saveTo === undefined ? undefined : savedIn(saveTo);
  let bytes = 0;
  /** The streams that are not read to their end. */
  const open = new Set<Readable>();
  let onDrained: () => void = () => {};
  const done = (stream: Readable) => {
    open.delete(stream);
    if (open.size === 0) onDrained();
  };
  let onOutput: () => void = () => {};
  const take = (from: "stdout" | "stderr", text: string) => {
    if (text === "") return;
    tail.push(text);
    if (from === "stderr") stderr.push(text);
    onText?.(text, from);
  };
  return {
    /** Called whenever something is printed. */
    onSound(listener: () => void) {
      onOutput = listener;
    },
    take(child: ChildProcess) {
      for (const from of ["stdout", "stderr"] as const) {
        const decoder = new StringDecoder("utf8"); // a chunk may end inside a character
        const stream = child[from];
        if (stream !== null) open.add(stream);
        stream?.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          onOutput();
          if (from === "stdout") {
            stdout.push(chunk);
            file?.write(chunk);
          }
          take(from, decoder.write(chunk));
        });
        stream?.on("end", () => {
          take(from, decoder.end());
          done(stream);
        });
        stream?.on("close", () => done(stream));
        stream?.on("error", () => {}); // a broken pipe needs no report
      }
    },
    /**
     * Resolves after the exit, when everything is read. A process that escaped may keep the pipes open forever: then,
     * when it prints nothing. Does not wait until Node and execa have closed the pipes: they can do that later.
     */
    async drained() {
      if (open.size === 0) return;
      await Promise.race([new Promise<void>((resolve) => (onDrained = resolve)), silence(() => bytes)]);
    },
    /** Adds a text as if the process had printed it on standard error. */
    add: (text: string) => take("stderr", text),
    captured() {
      file?.close();
      return { stdout: stdout.text(), stdoutBytes: stdout.total(), stderr: stderr.text(), tail: tail.text() };
    },
  };
}

const tailBytes = 16 * 1024;

/** The end of an output, as a terminal shows it. */
function shownTail() {
  const kept = tailBuffer(tailBytes);
  return { push: kept.push, text: () => shownByTerminal(kept.text()) };
}

/** The start and the end of an output, as a terminal shows it, in bounded memory. */
export function shownOutput(): { push(text: string): void; readonly text: () => string } {
  const kept = headAndTail(tailBytes, tailBytes / 4);
  const terminal = terminalText((text) => kept.push(Buffer.from(text)));
  return {
    push: terminal.push,
    text() {
      terminal.end();
      return kept.text();
    },
  };
}

/** Resolves when no byte has arrived for a while. */
async function silence(bytes: () => number): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const before = bytes();
    await wait(20, undefined, { ref: false });
    await turn();
    if (round > 0 && bytes() === before) return;
  }
}

/** Writes synchronously, so that a slow disk slows the process down instead of filling our memory. */
function savedIn(path: string) {
  makeFolder(dirname(path));
  let file: number | undefined = openSync(path, "w", 0o600);
  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  return {
    write(chunk: Uint8Array) {
      if (file === undefined) return;
      try {
        for (let rest = chunk; rest.length > 0; ) rest = rest.subarray(writeSync(file, rest));
      } catch {
        close(); // a full disk costs the copy, not the answer
      }
    },
    close,
  };
}
