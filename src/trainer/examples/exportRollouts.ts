/** Writes rollouts of runs as a dataset: a file for each split, and a card. */

import { basename, join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { trainedSplits } from "../../core/config/taskChoices.ts";
import { AppError } from "../../core/errors.ts";
import {
  type ChosenRollout,
  chooseRollouts,
  type RolloutChoice,
  storedTokens,
  useFewPerTask,
} from "../../core/examples/chooseRollouts.ts";
import { dataCard } from "../../core/examples/dataCard.ts";
import {
  type ExportRow,
  exportRow,
  isSaidByMessages,
  tokensRow,
  UNSAID,
} from "../../core/examples/exportRow.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import { createRunReader, type RunReader } from "../../core/runFolder/reader.ts";
import type { RolloutRecord } from "../../core/runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../../core/runFolder/rollouts/tokenRecord.ts";
import { readRunModel } from "../../core/runFolder/runModel.ts";
import { sha256 } from "../../node/hash.ts";
import { sum } from "../../shared/mean.ts";
import { taskId } from "../../shared/taskId.ts";
import { VERSION } from "../../shared/version.ts";

export type ExportFormat = "messages" | "tokens" | "parquet";

export interface ExportOptions {
  readonly fileSystem: FileSystem;
  /** Run folders. */
  readonly folders: readonly string[];
  readonly choice: RolloutChoice;
  readonly format: ExportFormat;
  /** The folder to write; it must not exist, or be empty. */
  readonly output: string;
  readonly license: string | null;
}

export interface Exported {
  /** By split. */
  readonly rows: Readonly<Record<string, number>>;
  readonly tasks: number;
  readonly doubles: number;
  /** Rollouts that messages cannot say, which only the format `tokens` has. */
  readonly unsaid: number;
}

/** @throws AppError `no-examples` when nothing is left to write, `folder-not-empty`, `disk`, `file-unreadable` */
export async function exportRollouts(options: ExportOptions): Promise<Exported> {
  const { fileSystem, folders, choice, format, output, license } = options;
  await requireEmpty(fileSystem, output);
  const files = new SplitFiles(options);
  const filter = new RowFilter();
  const runs: ExportedRun[] = [];
  const candidates: (ChosenRollout & { readonly run: ExportedRun })[] = [];
  for (const folder of folders) {
    const run = await openRun(fileSystem.within(folder), folder);
    runs.push(run);
    for (const rollout of await chooseRollouts(run.reader, choice)) {
      candidates.push({ ...rollout, run });
    }
  }
  // Rows take far more memory than candidates, so they are held only where better ones may come.
  const parts = choice.maxPerTask === null ? candidates.map((each) => [each]) : [candidates];
  for (const part of parts) {
    const used = await useFewPerTask(part, choice.maxPerTask, async ({ run, ...chosen }) => {
      const record = await run.reader.body(chosen.summary);
      if (record === null) return null;
      const row = exportRow(run, chosen, record);
      const streams = await writtenTokens(format, run.reader, chosen);
      return filter.takes(row, record, streams) ? { run, row, streams } : null;
    });
    for (const { run, row, streams } of used) run.rows += await files.add(row, streams);
  }
  if (files.count === 0) {
    const unread =
      format === "tokens"
        ? "their tokens are not stored. Set another --format, or take another run."
        : "their records cannot be read. Take another run.";
    const reason =
      filter.unsaid > 0 ? `each has ${UNSAID}. Set --format tokens, or take another run.` : unread;
    throw new AppError(
      "no-examples",
      candidates.length === 0
        ? "No rollout passes the filters, so nothing was written. Ask for less with --where, or take another run."
        : `None of the rollouts can be written as ${format}, so nothing was written: ${reason}`,
    );
  }
  await files.finish();
  const { rows, tasks } = files;
  const { doubles, unsaid } = filter;
  const facts = { choice, format, rows, doubles, unsaid, tasks, runs, license };
  const card = dataCard({ ...facts, name: basename(output), version: VERSION });
  await fileSystem.writeAtomic(join(output, "README.md"), card);
  return { rows, tasks, doubles, unsaid };
}

interface ExportedRun {
  readonly name: string;
  readonly model: string;
  /** As {@link exportRow} has it. */
  readonly trained: Readonly<Record<string, readonly string[]>>;
  readonly reader: RunReader;
  /** Rows that were written of it. */
  rows: number;
}

async function openRun(files: FolderFiles, folder: string): Promise<ExportedRun> {
  const model = await readRunModel(files, folder);
  return {
    name: basename(folder),
    model: model?.model_name ?? "unknown",
    trained: trainedSplits(model?.environments ?? {}),
    reader: createRunReader(files, folder),
    rows: 0,
  };
}

/** Null for a format that has messages in their place. */
async function writtenTokens(
  format: ExportFormat,
  reader: RunReader,
  chosen: ChosenRollout,
): Promise<readonly TokenRecord[] | null> {
  return format === "tokens" ? await storedTokens(reader, chosen) : null;
}

/** Leaves out what the format cannot say, and what was written before. */
class RowFilter {
  readonly #seen = new Set<string>();
  doubles = 0;
  unsaid = 0;

  /** `streams` are those that are written in place of messages; null = messages are. */
  takes(
    { messages, split }: ExportRow,
    record: RolloutRecord,
    streams: readonly TokenRecord[] | null,
  ): boolean {
    if (streams?.length === 0) return false;
    if (streams === null && !isSaidByMessages(record)) {
      this.unsaid += 1;
      return false;
    }
    const written = streams?.map(({ ids }) => Array.from(ids)) ?? messages;
    // The ids of images count within a rollout.
    const images = record.images.map(({ file }) => file);
    const digest = sha256(JSON.stringify([written, images, split]));
    if (this.#seen.has(digest)) {
      this.doubles += 1;
      return false;
    }
    this.#seen.add(digest);
    return true;
  }
}

/** @throws AppError `folder-not-empty` */
export async function requireEmpty(fileSystem: FileSystem, output: string): Promise<void> {
  const names = await fileSystem.list(output);
  if (names.length === 0) return;
  throw new AppError(
    "folder-not-empty",
    `${output} is not empty. Set --output to another folder, or remove what is in it.`,
  );
}

/** A file for each split, made with its first row. */
class SplitFiles {
  readonly #files: FileSystem;
  readonly #output: string;
  readonly #format: ExportFormat;
  /** Those of a format that is written as a whole. */
  readonly #kept = new Map<string, ExportRow[]>();
  readonly #rows = new Map<string, number>();
  readonly #tasks = new Set<string>();

  constructor({ fileSystem, output, format }: ExportOptions) {
    this.#files = fileSystem;
    this.#output = output;
    this.#format = format;
  }

  get rows(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#rows);
  }

  /** How many tasks the rows are of. */
  get tasks(): number {
    return this.#tasks.size;
  }

  get count(): number {
    return sum([...this.#rows.values()]);
  }

  /** `streams` are written in place of messages; null = messages are. Returns how many rows were added. @throws AppError `disk` */
  async add(row: ExportRow, streams: readonly TokenRecord[] | null): Promise<number> {
    const { split, environment, task_split, task_index: index } = row;
    const lines = streams?.map((own) => tokensRow(row, own)) ?? [row];
    if (this.count === 0) await this.#files.makeDirectory(this.#output);
    if (this.#format === "parquet") {
      const kept = this.#kept.get(split) ?? [];
      kept.push(row);
      this.#kept.set(split, kept);
    } else {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      await this.#files.append(join(this.#output, `${split}.jsonl`), text);
    }
    this.#rows.set(split, (this.#rows.get(split) ?? 0) + lines.length);
    this.#tasks.add(taskId({ environment, split: task_split, index }));
    return lines.length;
  }

  /** @throws AppError `disk` */
  async finish(): Promise<void> {
    for (const [split, rows] of this.#kept) {
      await this.#files.writeAtomic(join(this.#output, `${split}.parquet`), parquetOf(rows));
    }
  }
}

/** Lists and objects as JSON texts: every reader of Parquet takes those. */
function parquetOf(rows: readonly ExportRow[]): Uint8Array {
  const text = (name: string, read: (row: ExportRow) => string) =>
    ({ name, data: rows.map(read), type: "STRING" }) as const;
  const integer = (name: string, read: (row: ExportRow) => number) =>
    ({ name, data: rows.map(read), type: "INT32" }) as const;
  const columnData = [
    text("messages", ({ messages }) => JSON.stringify(messages)),
    text("tools", ({ tools }) => JSON.stringify(tools)),
    text("environment", ({ environment }) => environment),
    text("task_split", ({ task_split }) => task_split),
    integer("task_index", ({ task_index }) => task_index),
    {
      name: "reward",
      data: rows.map(({ reward }) => reward),
      type: "DOUBLE",
      nullable: true,
    } as const,
    text("run", ({ run }) => run),
    integer("step", ({ step }) => step),
    integer("group", ({ group }) => group),
    integer("rollout", ({ rollout }) => rollout),
    { name: "star", data: rows.map(({ star }) => star), type: "BOOLEAN" } as const,
    text("tags", ({ tags }) => JSON.stringify(tags)),
    text("note", ({ note }) => note),
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}
