/** The part of VS Code's state that is used: values that the editor keeps. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}
