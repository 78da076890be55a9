/**
 * `marks.jsonl`: stars, pins, tags and notes that the user gave a run and its rollouts. Each line is one change, so concurrent
 * writes from two windows lose nothing. Trainers never write this file.
 */

import * as z from "zod";
import type { MarkedRollout } from "../../shared/dashboardTypes.ts";
import { formatCount } from "../../shared/format.ts";
import {
  MAX_NOTE_LENGTH,
  MAX_TAG_LENGTH,
  type Mark,
  type MarkChange,
  NO_MARK,
} from "../../shared/marks.ts";
import { type RolloutKey, rolloutKeyName, setName } from "../../shared/rolloutSet.ts";
import { AppError } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { encodeJsonLine } from "../util/jsonl.ts";
import { runPaths, stepOfFileName, supersededAttempts, supersededFolder } from "./files/layout.ts";
import { readLines } from "./files/lineReader.ts";
import { readRunFile } from "./runFile.ts";

export const MAX_TAGS = 32;
/** Limits the file to about 100,000 changes. */
const MAX_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

const count = z.number().int().nonnegative();
const tag = z.string().min(1).max(MAX_TAG_LENGTH);

const changes = {
  star: z.boolean().exactOptional(),
  pin: z.boolean().exactOptional(),
  addTag: tag.exactOptional(),
  removeTag: tag.exactOptional(),
  /** Empty = no note. */
  note: z.string().max(MAX_NOTE_LENGTH).exactOptional(),
};

export const markChangeSchema = z.strictObject(changes).readonly() satisfies z.ZodType<MarkChange>;

const lineSchema = z.discriminatedUnion("of", [
  z.object({ of: z.literal("run"), ...changes }),
  z.object({
    of: z.literal("rollout"),
    source: z.enum(["training", "evaluation"]),
    step: count,
    group: count,
    rollout: count,
    /** The run's attempt when the mark was given, because a resume may repeat the step. */
    attempt: count,
    ...changes,
  }),
]);

type MarkLine = z.infer<typeof lineSchema>;
type RolloutLine = Extract<MarkLine, { readonly of: "rollout" }>;

export interface Marks {
  readonly run: Mark;
  /** In the order they were first marked, without those whose step has been repeated by a resume since. */
  readonly rollouts: readonly MarkedRollout[];
  /** A user-facing sentence about missing marks; null if all could be read. */
  readonly problem: string | null;
}

/** @throws AppError `disk`, `mark-length`, `marks-full` */
export async function markRun(
  files: FolderFiles,
  folder: string,
  change: MarkChange,
): Promise<void> {
  await append(files, folder, { of: "run", ...change });
}

/** @throws AppError `disk`, `mark-length`, `marks-full` */
export async function markRollout(
  files: FolderFiles,
  folder: string,
  { source, step, group, rollout }: RolloutKey,
  change: MarkChange,
): Promise<void> {
  const attempt = (await readRunFile(files, folder))?.attempt ?? 0;
  await append(files, folder, { of: "rollout", source, step, group, rollout, attempt, ...change });
}

async function append(files: FolderFiles, folder: string, line: MarkLine): Promise<void> {
  if (!lineSchema.safeParse(line).success) {
    throw new AppError(
      "mark-length",
      `A tag has 1 to ${MAX_TAG_LENGTH} characters and a note at most ${formatCount(MAX_NOTE_LENGTH)}, so this one was not saved. Make it shorter.`,
    );
  }
  const path = runPaths(folder).marks;
  const size = (await files.size(path)) ?? 0;
  const bytes = encodeJsonLine(line);
  if (size + bytes.length > MAX_BYTES) {
    throw new AppError(
      "marks-full",
      `${path} has reached its limit of ${MAX_BYTES} bytes, so the mark was not saved. Move the file elsewhere to start a new one.`,
      { data: { path } },
    );
  }
  const last = size === 0 ? LINE_FEED : (await files.readRange(path, size - 1, 1))[0];
  // After a line that was cut off by a crash, start a new one; otherwise both would be unreadable.
  await files.append(path, last === LINE_FEED ? bytes : Uint8Array.of(LINE_FEED, ...bytes));
}

/** The marks of one run while its file grows: each read continues where the last one ended. */
export class StoredMarks {
  readonly #files: FolderFiles;
  readonly #folder: string;
  #lines: MarkLine[] = [];
  #offset = 0;
  #brokenLines: number[] = [];
  #lineCount = 0;
  #supersededAttempts = "";
  #marks: Marks = { run: NO_MARK, rollouts: [], problem: null };

  constructor(files: FolderFiles, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** As of the last read; the same object until a read finds changes. */
  get marks(): Marks {
    return this.#marks;
  }

  /** Reads what was added. Disk errors become the `problem` of the marks. @throws AppError `folder-unsafe` */
  async refresh(): Promise<Marks> {
    const path = runPaths(this.#folder).marks;
    const size = (await this.#files.size(path)) ?? 0;
    const attempts = await supersededAttempts(this.#files, this.#folder);
    const isChanged = size !== this.#offset || attempts.join() !== this.#supersededAttempts;
    if (!isChanged) return this.#marks;
    if (size < this.#offset) this.#reset();
    for await (const { value, offset, length } of readLines(this.#files, path, this.#offset)) {
      if (offset + length >= MAX_BYTES) break;
      this.#offset = offset + length + 1;
      this.#lineCount += 1;
      const line = lineSchema.safeParse(value).data;
      if (line === undefined) this.#brokenLines.push(this.#lineCount);
      else this.#lines.push(line);
    }
    this.#supersededAttempts = attempts.join();
    this.#marks = await this.#gather(attempts);
    return this.#marks;
  }

  #reset(): void {
    this.#lines = [];
    this.#offset = 0;
    this.#brokenLines = [];
    this.#lineCount = 0;
  }

  async #gather(attempts: readonly number[]): Promise<Marks> {
    const lines = this.#lines.filter((line) => line.of === "rollout");
    const isSuperseded =
      lines.length === 0 ? () => false : await supersededLines(this.#files, this.#folder, attempts);
    const rollouts = new Map<string, MarkedRollout>();
    for (const line of lines.filter((own) => !isSuperseded(own))) {
      const { source, step, group, rollout } = line;
      const name = rolloutKeyName(line);
      const before = rollouts.get(name)?.mark ?? NO_MARK;
      rollouts.set(name, { source, step, group, rollout, mark: changed(before, line) });
    }
    const run = this.#lines.filter(({ of }) => of === "run").reduce<Mark>(changed, NO_MARK);
    return { run, rollouts: [...rollouts.values()], problem: this.#problem() };
  }

  #problem(): string | null {
    const broken = this.#brokenLines;
    if (broken.length === 0) return null;
    const where = broken.slice(0, 5).join(", ");
    const more = broken.length > 5 ? ` and ${broken.length - 5} more` : "";
    return `marks.jsonl is damaged: line ${where}${more} cannot be read. The other marks are shown, and the file is not changed.`;
  }
}

/** A run's current marks. @throws AppError `file-unreadable`, `folder-unsafe` */
export function readMarks(files: FolderFiles, folder: string): Promise<Marks> {
  return new StoredMarks(files, folder).refresh();
}

/** Returns a function that looks up a rollout's mark. */
export function markFinder({ rollouts }: Marks): (key: RolloutKey) => Mark {
  const byName = new Map(rollouts.map(({ mark, ...key }) => [rolloutKeyName(key), mark]));
  return (key) => byName.get(rolloutKeyName(key)) ?? NO_MARK;
}

function changed(mark: Mark, { star, pin, addTag, removeTag, note }: MarkChange): Mark {
  const others = mark.tags.filter((own) => own !== addTag && own !== removeTag);
  const tags = addTag === undefined || others.length >= MAX_TAGS ? others : [...others, addTag];
  return { star: star ?? mark.star, pin: pin ?? mark.pin, tags, note: note ?? mark.note };
}

/** Returns a function that checks whether a line's rollout was moved away by a resume after it was marked. */
async function supersededLines(
  files: FolderFiles,
  folder: string,
  attempts: readonly number[],
): Promise<(line: RolloutLine) => boolean> {
  /** Per step or evaluation, the last attempt whose rollouts were moved away. */
  const last = new Map<string, number>();
  for (const attempt of attempts) {
    const { rolloutFolder, evalFolder } = runPaths(supersededFolder(folder, attempt));
    const listings = [
      { source: "training", names: await files.list(rolloutFolder) },
      { source: "evaluation", names: await files.list(evalFolder) },
    ] as const;
    for (const { source, names } of listings) {
      for (const name of names) {
        const step = stepOfFileName(name);
        if (step !== null) last.set(setName({ source, step }), attempt);
      }
    }
  }
  return (line) => line.attempt <= (last.get(setName(line)) ?? -1);
}
