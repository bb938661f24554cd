/** Allows so many calls in any time of so many milliseconds. */
export class Limiter {
  #calls = [];

  constructor(most, perMs, now = Date.now) {
    this.most = most;
    this.perMs = perMs;
    this.now = now;
  }

  /** Whether a call is allowed; it counts then. */
  take() {
    const time = this.now();
    this.#calls = this.#calls.filter((at) => time - at < this.perMs);
    if (this.#calls.length >= this.most) return false;
    this.#calls.push(time);
    return true;
  }
}
