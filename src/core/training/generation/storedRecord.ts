/** Stores the images of a rollout before the record that names them, and finds them again. */

import type { FinishedRollout } from "../../rollout/rollout.ts";
import { readStoredImage, storeImages } from "../../runFolder/rollouts/imageFiles.ts";
import type { RolloutRecord } from "../../runFolder/rollouts/rolloutRecord.ts";
import type { RunContext } from "../run/context.ts";

/** Where images are stored. */
interface ImagePlace {
  readonly storage: Pick<RunContext["storage"], "fileSystem" | "folder">;
  readonly ports: Pick<RunContext["ports"], "sha256">;
}

/** The record with the names of its images. @throws AppError `disk` */
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

/** The rollout for training, once its record is written: texts take as much as tokens do, and no step reads them. */
export function withoutTexts(rollout: FinishedRollout): FinishedRollout {
  const { record } = rollout;
  const texts = { systemText: null, promptText: "", conversation: [], tools: [], turns: [] };
  return { ...rollout, record: { ...record, ...texts } };
}

/** A stored rollout with the images that its record names. @throws AppError `image-invalid`, `file-not-found`, `disk` */
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
