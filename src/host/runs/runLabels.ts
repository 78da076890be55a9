/** The user's names for runs, and which runs are archived; stored by the editor, not in the run. */

import * as z from "zod";
import type { Memento } from "../vscode/memento.ts";

export interface RunLabelsOptions {
  /** Names and archived runs, stored globally, so that they survive when a folder moves to another workspace. */
  readonly everywhere: Memento;
  /** Runs opened from outside this workspace. */
  readonly workspace: Memento;
}

const LABELS_KEY = "runLabels";
const OPENED_KEY = "openedRuns";
/** Maximum number of entries; the oldest are dropped first. */
const MAX_ENTRIES = 5_000;

const labelsSchema = z.object({
  names: z.record(z.string(), z.string()),
  archived: z.array(z.string()),
});
const openedSchema = z.array(z.string());

type Labels = z.infer<typeof labelsSchema>;

export class RunLabels {
  readonly #everywhere: Memento;
  readonly #workspace: Memento;
  /** Cached labels, because every row of a view queries them. */
  #found: { readonly raw: unknown; readonly labels: Labels } | null = null;

  constructor({ everywhere, workspace }: RunLabelsOptions) {
    this.#everywhere = everywhere;
    this.#workspace = workspace;
  }

  /** The user's names for runs, by folder. */
  get names(): Readonly<Record<string, string>> {
    return this.#read().names;
  }

  /** Folders of archived runs. */
  get archived(): readonly string[] {
    return this.#read().archived;
  }

  /** An empty name restores the run's own name. */
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
    const others = without(labels.archived, folder);
    await this.#write({ ...labels, archived: isArchived ? [...others, folder] : others });
  }

  /** Run folders from outside the workspace that were opened here. */
  get opened(): readonly string[] {
    return openedSchema.safeParse(this.#workspace.get(OPENED_KEY)).data ?? [];
  }

  async addOpened(folder: string): Promise<void> {
    await this.#writeOpened([...without(this.opened, folder), folder]);
  }

  /** Call after the folder was deleted. */
  async forget(folder: string): Promise<void> {
    const { names, archived } = this.#read();
    const { [folder]: _, ...others } = names;
    await this.#write({ names: others, archived: without(archived, folder) });
    await this.#writeOpened(without(this.opened, folder));
  }

  #read(): Labels {
    const raw = this.#everywhere.get(LABELS_KEY);
    if (this.#found === null || this.#found.raw !== raw) {
      const { data } = labelsSchema.safeParse(raw);
      this.#found = { raw, labels: data ?? { names: {}, archived: [] } };
    }
    return this.#found.labels;
  }

  async #write({ names, archived }: Labels): Promise<void> {
    await this.#everywhere.update(LABELS_KEY, {
      names: Object.fromEntries(Object.entries(names).slice(-MAX_ENTRIES)),
      archived: archived.slice(-MAX_ENTRIES),
    });
  }

  async #writeOpened(opened: readonly string[]): Promise<void> {
    await this.#workspace.update(OPENED_KEY, opened.slice(-MAX_ENTRIES));
  }
}

function without(folders: readonly string[], folder: string): string[] {
  return folders.filter((each) => each !== folder);
}
