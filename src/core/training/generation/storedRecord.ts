/** Stores a rollout's images before the record that refers to them, and loads them again. */

import type { FinishedRollout } from "../../rollout/rollout.ts";
import { readStoredImage, storeImages } from "../../runFolder/rollouts/imageFiles.ts";
import type { RolloutRecord } from "../../runFolder/rollouts/rolloutRecord.ts";
import type { RunContext } from "../run/context.ts";

/** Where images are stored. */
interface ImagePlace {
  readonly storage: Pick<RunContext["storage"], "fileSystem" | "folder">;
  readonly ports: Pick<RunContext["ports"], "sha256">;
}

/** The record with its images stored and referenced by name. @throws AppError `disk` */
export async function storedRecord(
  { storage: { fileSystem, folder }, ports: { sha256 } }: ImagePlace,
  { record, images }: Pick<FinishedRollout, "record" | "images">,
): Promise<RolloutRecord> {
  if (images.length === 0) return record;
  return { ...record, images: await storeImages(images, { fileSystem, folder, sha256 }) };
}

/** @throws AppError `disk` */
export async function writeRollout(context: RunContext, rollout: FinishedRollout): Promise<void> {
  await context.storage.store.addRollout(await storedRecord(context, rollout));
}

/** The rollout for training once its record is stored. Texts take as much memory as tokens, and no step reads them. */
export function withoutTexts(rollout: FinishedRollout): FinishedRollout {
  const { record } = rollout;
  const texts = { systemText: null, promptText: "", conversation: [], tools: [], turns: [] };
  return { ...rollout, record: { ...record, ...texts } };
}

/** Loads the images that a stored rollout's record refers to. @throws AppError `image-invalid`, `file-not-found`, `disk` */
export async function withImages(
  { storage, ports }: Pick<RunContext, "storage" | "ports">,
  rollout: FinishedRollout,
): Promise<FinishedRollout> {
  const images = [];
  for (const { file, tokens } of rollout.record.images) {
    images.push({ file: await readStoredImage(file, { ...storage, ...ports }), tokens });
  }
  return { ...rollout, images };
}
