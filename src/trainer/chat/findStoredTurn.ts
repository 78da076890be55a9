/** Finds the turn of a stored rollout by its numbers on the screen. */

import type { StoredTurn } from "../../core/conversation/storedRollout.ts";
import { AppError } from "../../core/errors.ts";
import type { ImageFile } from "../../core/images/imageFile.ts";
import { readStoredImage } from "../../core/runFolder/imageFiles.ts";
import { createRunReader } from "../../core/runFolder/reader.ts";
import { sha256 } from "../../node/hash.ts";
import type { TurnPlace } from "../../shared/chat.ts";
import type { ChosenRun } from "./chooseModel.ts";

export interface FoundTurn extends StoredTurn {
  /** Those that its ids below 0 stand for. */
  readonly images: readonly ImageFile[];
}

/** @throws AppError `no-such-number`, `no-token-data`, `image-invalid`, `file-*` */
export async function findStoredTurn(
  { folder, files }: ChosenRun,
  { step, group, rollout, turn }: TurnPlace,
): Promise<FoundTurn> {
  const reader = createRunReader(files, folder);
  const summaries = step < 1 ? [] : await reader.rollouts(step - 1);
  const summary = summaries.find(
    (each) => each.group === group - 1 && each.rollout === rollout - 1,
  );
  const record = summary === undefined ? null : await reader.body(summary);
  if (summary === undefined || record === null) {
    throw new AppError(
      "no-such-number",
      `The run has no rollout ${rollout} in group ${group} of step ${step}. \`tinker-rl show ${folder} --step ${step}\` lists those of a step.`,
    );
  }
  const stored = await Promise.all(summary.tokenData.map((entry) => reader.tokens(entry)));
  const streams = stored.filter((each) => each !== null);
  const where = { fileSystem: files, folder, sha256 };
  const images = await Promise.all(record.images.map(({ file }) => readStoredImage(file, where)));
  return { record, streams, turn: turn - 1, images };
}
