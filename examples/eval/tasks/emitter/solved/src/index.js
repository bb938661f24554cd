/** Calls listeners when an event is emitted. */
export class Emitter {
  #listeners = new Map();

  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
    return () => this.off(name, listener);
  }

  once(name, listener) {
    const off = this.on(name, (...values) => {
      off();
      listener(...values);
    });
    return off;
  }

  off(name, listener) {
    const others = (this.#listeners.get(name) ?? []).filter((one) => one !== listener);
    this.#listeners.set(name, others);
  }

  emit(name, ...values) {
    for (const listener of this.#listeners.get(name) ?? []) listener(...values);
  }
}
