/** Finds a turn of a stored rollout by the numbers shown to users. */

import type { TurnPlace } from "../../api/chat.ts";
import type { StoredTurn } from "../../core/conversation/storedRollout.ts";
import { AppError } from "../../core/errors.ts";
import type { FolderFiles } from "../../core/ports.ts";
import { createRunReader, rolloutsInOrder } from "../../core/runFolder/reader.ts";
import { readStoredImage } from "../../core/runFolder/rollouts/imageFiles.ts";
import { sha256 } from "../../node/hash.ts";

export interface FoundTurn extends StoredTurn {
  /** Name of the evaluated model in a standalone evaluation; null for a run's own weights. */
  readonly model: string | null;
}

/** @throws AppError `no-such-number`, `run-file-invalid`, `no-token-data`, `image-invalid`, `file-*` */
export async function findStoredTurn(
  { folder, files }: { readonly folder: string; readonly files: FolderFiles },
  { source, step, group, rollout, turn }: TurnPlace,
): Promise<FoundTurn> {
  const reader = createRunReader(files, folder);
  const set = { source, step: source === "training" ? step - 1 : step };
  const summaries = set.step < 0 ? [] : await reader.rollouts(set.step, source);
  const summary =
    group === null
      ? rolloutsInOrder(summaries)[rollout - 1]
      : summaries.find((each) => each.group === group - 1 && each.rollout === rollout - 1);
  const record = summary === undefined ? null : await reader.body(summary);
  if (summary === undefined || record === null) {
    throw new AppError(
      "no-such-number",
      source === "training"
        ? `The run has no rollout ${rollout} in group ${group} of step ${step}. \`tinker-rl show ${folder} --step ${step}\` lists the rollouts of a step.`
        : `The evaluation after ${step} steps has no rollout ${rollout}. \`tinker-rl show ${folder} --eval --step ${step}\` lists its rollouts.`,
    );
  }
  // Users choose from the index, but the record is what is played.
  if (record.environment !== summary.environment) throw otherEnvironment(folder, summary, record);
  const stored = await Promise.all(summary.tokenData.map((entry) => reader.tokens(set, entry)));
  const streams = stored.filter((each) => each !== null);
  const where = { fileSystem: files, folder, sha256 };
  const images = await Promise.all(record.images.map(({ file }) => readStoredImage(file, where)));
  return { record, streams, turn: turn - 1, images, model: summary.model ?? null };
}

function otherEnvironment(
  folder: string,
  { environment }: { readonly environment: string },
  record: { readonly environment: string },
): AppError {
  return new AppError(
    "run-file-invalid",
    `The rollout in ${folder} names the environment ${record.environment}, but its index names ${environment}. One of them was changed; the conversation cannot begin.`,
    { data: { folder } },
  );
}
