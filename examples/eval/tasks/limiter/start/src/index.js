/** Allows a number of calls within any period of the given milliseconds. */
export class Limiter {
  #calls = [];

  constructor(most, perMs, now = Date.now) {
    this.most = most;
    this.perMs = perMs;
    this.now = now;
  }

  /** Whether a call is allowed. If so, it is counted. */
  take() {
    const time = this.now();
    this.#calls.push(time);
    this.#calls = this.#calls.filter((at) => time - at < this.perMs);
    return this.#calls.length <= this.most;
  }
}
