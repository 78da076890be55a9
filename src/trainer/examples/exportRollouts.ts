/** Exports rollouts of runs as a dataset: one file per split, and a card. */

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
  type ExportFormat,
  type ExportRow,
  exportRow,
  isSaidByMessages,
  preferenceRow,
  type RecordRow,
  tokensRow,
  UNSAID,
} from "../../core/examples/exportRow.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import { createRunReader, type RunReader } from "../../core/runFolder/reader.ts";
import { readRunModel } from "../../core/runFolder/runModel.ts";
import { sha256 } from "../../node/hash.ts";
import { sum } from "../../shared/mean.ts";
import { taskId } from "../../shared/taskId.ts";
import { VERSION } from "../../shared/version.ts";

export interface ExportOptions {
  readonly fileSystem: FileSystem;
  /** Run folders. */
  readonly folders: readonly string[];
  readonly choice: RolloutChoice;
  readonly format: ExportFormat;
  /** Output folder; must be empty or not exist. */
  readonly output: string;
  readonly license: string | null;
}

export interface Exported {
  /** By split. */
  readonly rows: Readonly<Record<string, number>>;
  readonly tasks: number;
  readonly doubles: number;
  /** Rollouts that cannot be expressed as messages, only in the format `tokens`. */
  readonly unsaid: number;
  /** Groups with different rewards that give no pair, only in the format `preference`. */
  readonly unpaired: number;
}

/** @throws AppError `no-examples` if nothing is left to write, `folder-not-empty`, `disk`, `file-unreadable` */
export async function exportRollouts(options: ExportOptions): Promise<Exported> {
  const { fileSystem, folders, choice, format, output, license } = options;
  await requireEmpty(fileSystem, output);
  const files = new SplitFiles(options);
  const filter = new RowFilter();
  const runs: ExportedRun[] = [];
  const candidates: Candidate[] = [];
  for (const folder of folders) {
    const run = await openRun(fileSystem.within(folder), folder);
    runs.push(run);
    for (const rollout of await chooseRollouts(run.reader, choice)) {
      candidates.push({ ...rollout, run });
    }
  }
  const write = async <Item extends Pick<Candidate, "summary" | "run">>(
    items: readonly Item[],
    use: (item: Item) => Promise<Written | null>,
  ): Promise<void> => {
    // Rows take far more memory than candidates, so they are only held if better ones may follow.
    const parts = choice.maxPerTask === null ? items.map((each) => [each]) : [items];
    for (const part of parts) {
      const used = await useFewPerTask(part, choice.maxPerTask, async (item) => {
        const written = await use(item);
        return written === null ? null : { run: item.run, ...written };
      });
      for (const { run, row, lines } of used) run.rows += await files.add(row, lines);
    }
  };
  if (format === "preference") {
    const groups = runs.flatMap((own) => groupsOf(candidates.filter(({ run }) => run === own)));
    await write(groups, (group) => filter.pair(group));
  } else if (format === "tokens") await write(candidates, streamsOf);
  else await write(candidates, (candidate) => filter.conversation(candidate));
  if (files.count === 0) {
    const reason =
      filter.unsaid > 0 && format !== "preference"
        ? `each has ${UNSAID}. Set --format tokens, or take another run.`
        : UNWRITTEN[format];
    throw new AppError(
      "no-examples",
      candidates.length === 0
        ? "No rollout passes the filters, so nothing was written. Ask for less with --where, or take another run."
        : `None of the rollouts can be written as ${format}, so nothing was written: ${reason}`,
    );
  }
  await files.finish();
  const { rows, tasks } = files;
  const { doubles, unsaid, unpaired } = filter;
  const facts = { choice, format, rows, doubles, unsaid, tasks, runs, license };
  const card = dataCard({ ...facts, name: basename(output), version: VERSION });
  await fileSystem.writeAtomic(join(output, "README.md"), card);
  return { rows, tasks, doubles, unsaid, unpaired };
}

const UNREADABLE = "their records cannot be read. Take another run.";
const UNWRITTEN = {
  messages: UNREADABLE,
  tokens: "their tokens are not stored. Set another --format, or take another run.",
  preference:
    "no task has two with different rewards in the same step. Ask for less with --where, or take another run.",
  parquet: UNREADABLE,
} as const satisfies Record<ExportFormat, string>;

interface ExportedRun {
  readonly name: string;
  readonly model: string;
  /** As in {@link exportRow}. */
  readonly trained: Readonly<Record<string, readonly string[]>>;
  readonly reader: RunReader;
  /** Number of rows written from this run. */
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

type Candidate = ChosenRollout & { readonly run: ExportedRun };

interface Written {
  readonly row: ExportRow;
  readonly lines: readonly object[];
}

async function recordRow({ run, ...chosen }: Candidate): Promise<RecordRow | null> {
  const record = await run.reader.body(chosen.summary);
  return record === null ? null : { row: exportRow(run, chosen, record), record };
}

/** Identical streams all count, because their log-probabilities and advantages differ. */
async function streamsOf(candidate: Candidate): Promise<Written | null> {
  const own = await recordRow(candidate);
  const streams = await storedTokens(candidate.run.reader, candidate);
  if (own === null || streams.length === 0) return null;
  return { row: own.row, lines: streams.map((stream) => tokensRow(own.row, stream)) };
}

/** Rollouts of one task in one step of a run; `summary` is the best one's. */
type RolloutGroup = Pick<Candidate, "summary" | "run"> & { readonly rollouts: Candidate[] };

function groupsOf(candidates: readonly Candidate[]): readonly RolloutGroup[] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key = JSON.stringify([candidate.summary.step, taskId(candidate.summary)]);
    const group = groups.get(key) ?? [];
    group.push(candidate);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap((rollouts) => {
    const rewardOf = ({ summary }: Candidate): number => summary.reward ?? 0;
    const [best] = rollouts.toSorted((a, b) => rewardOf(b) - rewardOf(a));
    return best === undefined ? [] : [{ summary: best.summary, run: best.run, rollouts }];
  });
}

/** Drops rollouts that cannot be expressed as messages, and duplicates. */
class RowFilter {
  readonly #seen = new Set<string>();
  doubles = 0;
  unsaid = 0;
  unpaired = 0;

  async conversation(candidate: Candidate): Promise<Written | null> {
    const own = await this.#said(candidate);
    if (own === null || !this.#isNew(own.row.messages, own.row)) return null;
    return { row: own.row, lines: [own.row] };
  }

  async pair({ rollouts }: RolloutGroup): Promise<Written | null> {
    const said: RecordRow[] = [];
    for (const rollout of rollouts) {
      const own = await this.#said(rollout);
      if (own !== null) said.push(own);
    }
    const [first] = said;
    const row = preferenceRow(said);
    if (first === undefined || row === null) {
      if (new Set(rollouts.map(({ summary }) => summary.reward)).size > 1) this.unpaired += 1;
      return null;
    }
    if (!this.#isNew([row["prompt"], row["chosen"], row["rejected"]], first.row)) return null;
    return { row: first.row, lines: [row] };
  }

  async #said(candidate: Candidate): Promise<RecordRow | null> {
    const own = await recordRow(candidate);
    if (own === null || isSaidByMessages(own.record)) return own;
    this.unsaid += 1;
    return null;
  }

  #isNew(written: unknown, { split }: ExportRow): boolean {
    const digest = sha256(JSON.stringify([written, split]));
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

/** One file per split, created with its first row. */
class SplitFiles {
  readonly #files: FileSystem;
  readonly #output: string;
  readonly #format: ExportFormat;
  /** Buffered rows of a format that is written in one go. */
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

  /** Number of distinct tasks among the rows. */
  get tasks(): number {
    return this.#tasks.size;
  }

  get count(): number {
    return sum([...this.#rows.values()]);
  }

  /** `lines` are the lines to write for `row`. Returns how many rows were added. @throws AppError `disk` */
  async add(row: ExportRow, lines: readonly object[]): Promise<number> {
    const { split, environment, task_split, task_index: index } = row;
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

/** Lists and objects as JSON text, which every Parquet reader can handle. */
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
