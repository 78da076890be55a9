/** `state.json`: everything a resume needs to continue exactly from the last confirmed checkpoint. */

import * as z from "zod";
import { AppError, isAppError } from "../errors.ts";
import { isJsonObject } from "../json.ts";
import type { FolderFiles } from "../ports.ts";
import { runUsageSchema } from "../usage/tokenUsage.ts";
import { parseJson } from "../util/jsonl.ts";
import { readEvidence, readKnown } from "./curriculumTexts.ts";
import { runPaths } from "./files/layout.ts";
import { checkpointPath, storedId } from "./files/storedNames.ts";
import { MAX_BYTES } from "./files/wholeFiles.ts";

const SCHEMA_VERSION = 3;

const count = z.number().int().nonnegative();
/** A position in the endless list of tasks or steps; bounded, because a reader may iterate over all before it. */
const boundedCount = count.max(50_000_000);

/** A curriculum's knowledge of each task, and the tasks it has drawn. */
const curriculumSchema = z
  .object({
    /** The format is in `curriculumTexts.ts`, as for `known`. */
    tasks: z.string().refine((text) => readEvidence(text) !== null),
    /** By position in the list of tasks: tasks that were issued but not trained on yet. */
    drawn: z.array(z.tuple([boundedCount, z.string()]).readonly()).readonly(),
    /** Success of others by task name, as reported by the service when the run began; absent = none reported. */
    known: z
      .string()
      .refine((text) => readKnown(text) !== null)
      .optional(),
  })
  .readonly();

export type CurriculumState = z.infer<typeof curriculumSchema>;

const runStateSchema = z
  .object({
    schema_version: z.literal(SCHEMA_VERSION),
    run_ids: z
      .object({
        local: storedId,
        wandb: storedId.nullable(),
      })
      .readonly(),
    /** The next step to run. */
    step: boundedCount,
    optimizer_updates: count,
    dataset: z
      .object({
        /** Digest of environments, splits, counts, `num_samples`, `shuffle` and the seed. */
        fingerprint: z.string(),
        /** Number of tasks per `ENVIRONMENT SPLIT`, for messages; absent in older files. */
        tasks: z.record(z.string(), count).readonly().optional(),
        /** Position in the endless list of tasks. */
        cursor: boundedCount,
      })
      .readonly(),
    /** Groups that were issued ahead but not trained on yet, one entry per step. */
    pending: z
      .array(
        z
          .object({
            /** Position of the first one in the endless list of tasks. */
            position: boundedCount,
            groups: count,
            /** Number of completed steps of the weights that sample them. */
            version: boundedCount,
            settings_hash: z.string(),
          })
          .readonly(),
      )
      .readonly(),
    /** The saved samplers of those weights and of the current ones; empty if no groups are issued ahead. */
    samplers: z
      .array(
        z
          .object({
            version: boundedCount,
            /** Number of updates in its weights. */
            optimizer_updates: count,
            /** Number of updates it was behind when its groups were issued; absent = 0. */
            behind: count.optional(),
            path: checkpointPath,
          })
          .readonly(),
      )
      .readonly(),
    /** Absent without a curriculum. */
    curriculum: curriculumSchema.optional(),
    counters: z
      .object({
        tokens: runUsageSchema,
        /** Duration of all attempts, without pauses. */
        seconds: z.number().nonnegative(),
        consecutive_empty_steps: count,
      })
      .readonly(),
    /** The date shown in prompts, which is the day the run began; absent if the chat format shows none. */
    prompt_date: z.iso.date().optional(),
    last_checkpoint: z
      .object({
        step: count,
        state_path: checkpointPath,
        sampler_path: checkpointPath.nullable(),
        /** ISO 8601; null = kept until deleted. */
        expires_at: z.string().nullable(),
      })
      .readonly()
      .nullable(),
    generation: count,
  })
  .readonly();

export type RunState = z.infer<typeof runStateSchema>;

/** A state without its curriculum, which is much larger than the rest. */
export const savedStateSchema = runStateSchema.unwrap().omit({ curriculum: true }).readonly();

export type SavedState = z.infer<typeof savedStateSchema>;

/**
 * Call after the service confirmed the save. `state.json` is always complete; the previous state is kept in `state.prev.json`,
 * unless it was damaged, in which case the one before it stays. @throws AppError `disk`, `state-format`
 */
export async function writeState(
  fileSystem: FolderFiles,
  folder: string,
  state: RunState,
): Promise<void> {
  const paths = runPaths(folder);
  const previous = (await readOne(fileSystem, paths.state))?.state ?? null;
  if (previous !== null) await fileSystem.writeAtomic(paths.previousState, asText(previous));
  await fileSystem.writeAtomic(paths.state, asText(state));
}

/** Makes `state` the only state, because later saves are gone. @throws AppError `disk` */
export async function replaceStates(
  fileSystem: FolderFiles,
  folder: string,
  state: RunState,
): Promise<void> {
  const paths = runPaths(folder);
  for (const path of [paths.previousState, paths.state]) {
    await fileSystem.writeAtomic(path, asText(state));
  }
}

function asText(state: RunState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

/**
 * The last saved state, or null if there is none. Falls back to `state.prev.json` if `state.json` is damaged.
 * @throws AppError `state-format` for a file of another format, `state-invalid` if neither file is usable
 */
export async function readState(fileSystem: FolderFiles, folder: string): Promise<RunState | null> {
  const { states } = await readStates(fileSystem, folder);
  return states[0] ?? null;
}

export interface StoredStates {
  /** The state of `state.json`, then that of `state.prev.json`; missing or damaged ones are omitted. */
  readonly states: readonly RunState[];
  /** Says that `state.json` is damaged and the previous state is used instead; null = it is intact. */
  readonly problem: string | null;
}

/** @throws like {@link readState} */
export async function readStates(fileSystem: FolderFiles, folder: string): Promise<StoredStates> {
  const paths = runPaths(folder);
  const last = await readOne(fileSystem, paths.state);
  const previous = await readOne(fileSystem, paths.previousState);
  const states = [last?.state, previous?.state].filter((state) => state != null);
  const [first] = states;
  if (first === undefined) {
    if (last === null && previous === null) return { states, problem: null };
    const reason = last?.reason ?? previous?.reason ?? "";
    throw new AppError(
      "state-invalid",
      `${reason}Neither state.json nor state.prev.json in ${folder} can be read. Start a new run with resume_from set to a path from checkpoints.jsonl.`,
      { data: { folder } },
    );
  }
  const isDamaged = last !== null && last.state === null;
  const problem = `state.json in ${folder} cannot be read. A resume continues from the previous state in state.prev.json, after step ${first.step}.`;
  return { states, problem: isDamaged ? problem : null };
}

interface StateReading {
  /** Null if the file is damaged. */
  readonly state: RunState | null;
  /** Why it is damaged, as a sentence with a trailing space; null = unknown. */
  readonly reason: string | null;
}

/** Null if the file does not exist. */
async function readOne(fileSystem: FolderFiles, path: string): Promise<StateReading | null> {
  try {
    const text = await fileSystem.readText(path, MAX_BYTES.state);
    return { state: parseState(text, path), reason: null };
  } catch (error) {
    if (isAppError(error, "file-not-found")) return null;
    if (isAppError(error, "file-too-large")) return { state: null, reason: `${error.message} ` };
    throw error;
  }
}

/** Null if it is not a state. */
export function parseRunState(value: unknown): RunState | null {
  return runStateSchema.safeParse(value).data ?? null;
}

function parseState(text: string, path: string): RunState | null {
  const value = parseJson(text)?.value;
  if (!isJsonObject(value)) return null;
  const version = value["schema_version"];
  if (typeof version !== "number") return null;
  if (version !== SCHEMA_VERSION) {
    throw new AppError(
      "state-format",
      `${path} has format ${version}, but this version of Tinker RL reads format ${SCHEMA_VERSION}. Resume the run with the version that wrote it.`,
      { data: { path, version } },
    );
  }
  return parseRunState(value);
}
