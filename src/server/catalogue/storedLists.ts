/** Lists from services, cached on disk: one file per list, with its time and source server. */

import { join } from "node:path";
import * as z from "zod";
import type { ListKind } from "../../api/catalogue.ts";
import type {
  EnvironmentEntry,
  ModelEntry,
} from "../../core/config/editing/catalogue/catalogue.ts";
import type { FileSystem } from "../../core/ports.ts";
import { parseJson } from "../../core/util/jsonl.ts";

export interface StoredList<Item> {
  readonly items: readonly Item[];
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly isComplete: boolean;
  /** Address of the server it came from. */
  readonly server: string;
}

export interface StoredItems {
  readonly environments: EnvironmentEntry;
  readonly models: ModelEntry;
  readonly checkpoints: KeptCheckpoint;
}

export const LIST_KINDS: readonly ListKind[] = ["environments", "models", "checkpoints"];

/** Maximum length of a list; the rest is dropped. */
const MAX_ITEMS = 5_000;
/** A larger file was not written by this program. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_DESCRIPTION = 300;

const name = z.string().min(1).max(300);
const time = z.number().nullable();
const description = z.string().transform((text) => text.slice(0, MAX_DESCRIPTION));
const split = z.object({ name, tasks: z.int().nonnegative().nullable() }).readonly();

const environmentSchema: z.ZodType<EnvironmentEntry> = z.object({
  name,
  description: description.nullable(),
  splits: z.array(split).max(100).nullable(),
  tools: z.array(name).max(200).nullable(),
  secrets: z.array(name).max(100),
  page: z.string().startsWith("https://").max(1000).nullable(),
});
const modelSchema: z.ZodType<ModelEntry> = z.object({
  name,
  contextTokens: z.int().positive().nullable(),
  maxRank: z.int().positive().nullable(),
  note: description.nullable(),
});
/** A checkpoint as cached: absolute times instead of ages, in milliseconds since the Unix epoch. */
const checkpointSchema = z
  .object({
    path: z.string().startsWith("tinker://").max(1000),
    model: name.nullable(),
    rank: z.int().positive().nullable(),
    run: name.nullable(),
    /** For example `final`; null when unknown. */
    kind: name.nullable(),
    /** From 0. */
    step: z.int().nonnegative().nullable(),
    savedAtMs: time,
    expiresAtMs: time,
    sizeBytes: time,
    /** True if known to be deleted, or replaced by a newer one. */
    isGone: z.boolean(),
  })
  .readonly();

export type KeptCheckpoint = z.infer<typeof checkpointSchema>;

const SCHEMAS: { readonly [Kind in ListKind]: z.ZodType<StoredItems[Kind]> } = {
  environments: environmentSchema,
  models: modelSchema,
  checkpoints: checkpointSchema,
};

const fileSchema = z.object({
  schemaVersion: z.literal(1),
  server: z.string(),
  atMs: z.number(),
  isComplete: z.boolean(),
  items: z.array(z.unknown()),
});

export class StoredLists {
  readonly #folder: string;
  readonly #fileSystem: FileSystem;

  /** `folder` does not need to exist. */
  constructor(folder: string, fileSystem: FileSystem) {
    this.#folder = folder;
    this.#fileSystem = fileSystem;
  }

  /** Null if the file is missing or damaged; invalid entries are dropped. */
  async read<Kind extends ListKind>(kind: Kind): Promise<StoredList<StoredItems[Kind]> | null> {
    const path = this.#path(kind);
    const size = await this.#fileSystem.size(path).catch(() => null);
    if (size === null || size > MAX_BYTES) return null;
    const text = await this.#fileSystem.readText(path).catch(() => "");
    const file = fileSchema.safeParse(parseJson(text)?.value).data;
    if (file === undefined) return null;
    const { server, atMs, isComplete } = file;
    return { server, atMs, isComplete, items: validItems(kind, file.items) };
  }

  /** @throws AppError `disk` */
  async write<Kind extends ListKind>(
    kind: Kind,
    { server, atMs, isComplete, items }: StoredList<StoredItems[Kind]>,
  ): Promise<void> {
    const text = JSON.stringify({ schemaVersion: 1, server, atMs, isComplete, items });
    await this.#fileSystem.makeDirectory(this.#folder);
    await this.#fileSystem.writeAtomic(this.#path(kind), `${text}\n`);
  }

  #path(kind: ListKind): string {
    return join(this.#folder, `${kind}.json`);
  }
}

/** The list restricted to valid entries and the maximum length. Answers from services are as untrusted as files. */
export function fitForStorage<Kind extends ListKind>(
  kind: Kind,
  list: StoredList<StoredItems[Kind]>,
): StoredList<StoredItems[Kind]> {
  const items = validItems(kind, list.items);
  return { ...list, items, isComplete: list.isComplete && items.length === list.items.length };
}

function validItems<Kind extends ListKind>(
  kind: Kind,
  items: readonly unknown[],
): readonly StoredItems[Kind][] {
  return items.slice(0, MAX_ITEMS).flatMap((item) => {
    const parsed = SCHEMAS[kind].safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}
