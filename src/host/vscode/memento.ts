/** The part of VS Code's Memento that is used here: values stored by the editor. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}
