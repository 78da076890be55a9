/** Names that the user gave to runs, and which runs are put away; kept by the workspace, not in the run. */

import * as z from "zod";

/** The part of VS Code's state that is used here. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = "runLabels";

const schema = z.object({
  names: z.record(z.string(), z.string()),
  archived: z.array(z.string()),
  /** Runs opened from anywhere. */
  opened: z.array(z.string()),
});

type Labels = z.infer<typeof schema>;

export class RunLabels {
  readonly #memento: Memento;
  /** As found last: every row of a view asks. */
  #found: { readonly raw: unknown; readonly labels: Labels } | null = null;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  /** Null when the run has the name of its folder. */
  nameOf(folder: string): string | null {
    return this.#read().names[folder] ?? null;
  }

  /** An empty name gives the run its own one back. */
  async rename(folder: string, name: string): Promise<void> {
    const labels = this.#read();
    const { [folder]: _, ...others } = labels.names;
    await this.#write({ ...labels, names: name === "" ? others : { ...others, [folder]: name } });
  }

  isArchived(folder: string): boolean {
    return this.#read().archived.includes(folder);
  }

  async setArchived(folder: string, isArchived: boolean): Promise<void> {
    const labels = this.#read();
    const others = labels.archived.filter((each) => each !== folder);
    await this.#write({ ...labels, archived: isArchived ? [...others, folder] : others });
  }

  /** Run folders from outside the workspace that were opened here. */
  get opened(): readonly string[] {
    return this.#read().opened;
  }

  async addOpened(folder: string): Promise<void> {
    const labels = this.#read();
    await this.#write({ ...labels, opened: [...new Set([...labels.opened, folder])] });
  }

  /** After the folder is gone. */
  async forget(folder: string): Promise<void> {
    const labels = this.#read();
    const { [folder]: _, ...names } = labels.names;
    const without = (list: readonly string[]): string[] => list.filter((each) => each !== folder);
    await this.#write({
      names,
      archived: without(labels.archived),
      opened: without(labels.opened),
    });
  }

  #read(): Labels {
    const raw = this.#memento.get(KEY);
    if (this.#found === null || this.#found.raw !== raw) {
      const { data } = schema.safeParse(raw);
      this.#found = { raw, labels: data ?? { names: {}, archived: [], opened: [] } };
    }
    return this.#found.labels;
  }

  async #write(labels: Labels): Promise<void> {
    await this.#memento.update(KEY, labels);
  }
}
