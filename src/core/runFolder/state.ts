/** `state.json`: all that a resume needs to continue exactly from the last confirmed checkpoint. */

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
/** A position in the endless list of tasks or of steps; bounded, because a reader may walk through all before it. */
const place = count.max(50_000_000);

/** What a curriculum knows of each task, and which tasks it has drawn. */
const curriculumSchema = z
  .object({
    /** See `curriculumTexts.ts`, as for `known`. */
    tasks: z.string().refine((text) => readEvidence(text) !== null),
    /** By position in the list of tasks; those that are issued and not trained yet. */
    drawn: z.array(z.tuple([place, z.string()]).readonly()).readonly(),
    /** Success of others by the name of the task, as the service said when the run began; absent = of none. */
    known: z
      .string()
      .refine((text) => readKnown(text) !== null)
      .optional(),
  })
  .readonly();

export type CurriculumState = z.infer<typeof curriculumSchema>;

export const runStateSchema = z
  .object({
    schema_version: z.literal(SCHEMA_VERSION),
    run_ids: z
      .object({
        local: storedId,
        wandb: storedId.nullable(),
      })
      .readonly(),
    /** The next step to run. */
    step: place,
    optimizer_updates: count,
    dataset: z
      .object({
        /** Digest over environments, splits, counts, `num_samples`, `shuffle` and the seed. */
        fingerprint: z.string(),
        /** The number of tasks of each `ENVIRONMENT SPLIT`, for messages; absent in older files. */
        tasks: z.record(z.string(), count).readonly().optional(),
        /** Position in the endless list of tasks. */
        cursor: place,
      })
      .readonly(),
    /** Groups that were issued ahead and are not trained yet, a row for those of one step. */
    pending: z
      .array(
        z
          .object({
            /** Position of the first of them in the endless list of tasks. */
            position: place,
            groups: count,
            /** Completed steps when the weights came to be that sample them. */
            version: place,
            settings_hash: z.string(),
          })
          .readonly(),
      )
      .readonly(),
    /** The saved samplers of those weights and of the present ones; none without groups that are issued ahead. */
    samplers: z
      .array(
        z
          .object({
            version: place,
            /** That it has seen. */
            optimizer_updates: count,
            /** Those that it had not seen when its groups were issued; absent = 0. */
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
        /** That all attempts took, without pauses. */
        seconds: z.number().nonnegative(),
        consecutive_empty_steps: count,
      })
      .readonly(),
    /** The date that prompts show, of the day on which the run began; absent for a chat format without one. */
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

/**
 * Call after the service confirmed the save. `state.json` is whole at every moment; the one before stays in `state.prev.json`, unless
 * it is damaged: then the one before that does. @throws AppError `disk`, `state-format`
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

/** Makes `state` the only one: whatever was saved last no longer exists. @throws AppError `disk` */
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
 * The state that was saved last, or null when none was. A damaged `state.json` gives way to `state.prev.json`.
 * @throws AppError `state-format` for a file of another format, `state-invalid` when neither file can be used.
 */
export async function readState(fileSystem: FolderFiles, folder: string): Promise<RunState | null> {
  const { states } = await readStates(fileSystem, folder);
  return states[0] ?? null;
}

export interface StoredStates {
  /** That of `state.json` before that of `state.prev.json`; without the one that is absent or damaged. */
  readonly states: readonly RunState[];
  /** Says that `state.json` is damaged and the one before it takes its place; null = it is not. */
  readonly problem: string | null;
}

/** @throws as {@link readState} */
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
  /** Null for a damaged one. */
  readonly state: RunState | null;
  /** Why it is damaged, as a sentence with a blank behind it; null = it was not said. */
  readonly reason: string | null;
}

/** Null where there is no such file. */
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
  return runStateSchema.safeParse(value).data ?? null;
}
