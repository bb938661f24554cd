import { describe, expect, test } from "vitest";
import { headAndTail, tailBuffer } from "../../src/processes/bounded-output.ts";
import { fc } from "../parts/random.ts";

describe("head and tail", () => {
  test("keep a text up to the limit as it is, however it arrives", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (chunks) => {
        const capture = headAndTail(100_000);
        for (const chunk of chunks) capture.push(chunk);
        expect(capture.text()).toBe(Buffer.concat(chunks).toString());
      }),
    );
  });
  test("of a longer text are its beginning and its end, in whole characters, and say what is left out", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 400 }), { minLength: 1 }),
        (texts) => {
          const capture = headAndTail(512);
          for (const text of texts) capture.push(Buffer.from(text));
          const all = texts.join("");
          const bytes = Buffer.byteLength(all);
          const kept = capture.text();
          if (bytes <= 512) {
            expect(kept).toBe(all);
            return;
          }
          const [, head = "?", left, tail = "?"] =
            /^(.*)\n\[… (\d+) bytes left out …\]\n(.*)$/su.exec(kept) ?? [];
          expect(all.startsWith(head) && all.endsWith(tail)).toBe(true);
          expect(Buffer.byteLength(head) + Number(left) + Buffer.byteLength(tail)).toBe(bytes);
          expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(512);
        },
      ),
    );
  });
});

test("the last bytes of a text are its end, in whole characters", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 100 })), (texts) => {
      const last = tailBuffer(64);
      for (const text of texts) last.push(text);
      const bytes = Buffer.byteLength(last.text());
      expect(texts.join("").endsWith(last.text())).toBe(true);
      expect(bytes <= 64 && bytes > Math.min(60, Buffer.byteLength(texts.join("")) - 1)).toBe(true);
    }),
  );
});
