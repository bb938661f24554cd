/** A cache of limited size that removes the least recently used entry first. */
export class Cache {
  #entries = new Map();
  #size;

  constructor(size) {
    this.#size = size;
  }

  get(key) {
    if (!this.#entries.has(key)) return undefined;
    const value = this.#entries.get(key);
    return value;
  }

  set(key, value) {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#size) this.#entries.delete(this.#entries.keys().next().value);
  }
}
