/** Calls listeners; one that throws does not prevent the others from being called. */

export interface Listening {
  dispose(): void;
}

export class Emitter<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void = () => undefined) {
    this.#onError = onError;
  }

  /** Listens until disposed. */
  readonly event = (listener: (value: T) => void): Listening => {
    const own = (value: T): void => listener(value);
    this.#listeners.add(own);
    return { dispose: () => void this.#listeners.delete(own) };
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
