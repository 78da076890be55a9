/** Stores the images of a rollout before the record that names them. */

import type { FinishedRollout } from "../rollout/rollout.ts";
import { storeImages } from "../runFolder/imageFiles.ts";
import type { RolloutRecord } from "../runFolder/rolloutRecord.ts";
import type { RunContext } from "./context.ts";

/** The record with the names of its images. @throws AppError `disk` */
export async function storedRecord(
  { storage, ports }: Pick<RunContext, "storage" | "ports">,
  { record, images }: Pick<FinishedRollout, "record" | "images">,
): Promise<RolloutRecord> {
  if (images.length === 0) return record;
  return { ...record, images: await storeImages(images, { ...storage, ...ports }) };
}
