/** Splits text that arrives in pieces into whole lines, for every kind of line end. */
export class LineSplitter {
  #rest = "";
  #onLine;

  constructor(onLine) {
    this.#onLine = onLine;
  }

  push(text) {
    const all = this.#rest + text;
    // A carriage return at the end may be half of a line end.
    const held = all.endsWith("\r") ? 1 : 0;
    const lines = all.slice(0, all.length - held).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() + all.slice(all.length - held);
    for (const line of lines) this.#onLine(line);
  }

  end() {
    const rest = this.#rest.replace(/\r$/, "");
    if (this.#rest !== "") this.#onLine(rest);
    this.#rest = "";
  }
}
