/** Splits text that arrives in pieces into whole lines, for every kind of line end. */
export class LineSplitter {
  #rest = "";
  #onLine;

  constructor(onLine) {
    this.#onLine = onLine;
  }

  push(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop();
    for (const line of lines) this.#onLine(line);
  }

  end() {
    const rest = this.#rest.replace(/\r$/, "");
    if (this.#rest !== "") this.#onLine(rest);
    this.#rest = "";
  }
}
