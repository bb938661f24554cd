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
    const all = this.#listeners.get(name) ?? [];
    const at = all.indexOf(listener);
    if (at >= 0) all.splice(at, 1);
  }

  emit(name, ...values) {
    for (const listener of this.#listeners.get(name) ?? []) listener(...values);
  }
}
