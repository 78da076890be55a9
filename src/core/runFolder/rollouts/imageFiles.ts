/** The images of rollouts in a run folder, stored once each in files named by content. */

import { AppError } from "../../errors.ts";
import {
  type ImageFile,
  type ImageSize,
  identifyImage,
  imageAddress,
  isUsableSize,
  MAX_IMAGE_BYTES,
} from "../../images/imageFile.ts";
import type { FolderFiles, Sha256 } from "../../ports.ts";
import { runPaths } from "../files/layout.ts";
import type { RolloutRecord } from "./rolloutRecord.ts";

export interface ImageFolder {
  readonly fileSystem: FolderFiles;
  /** The run folder. */
  readonly folder: string;
  readonly sha256: Sha256;
}

type StoredImage = RolloutRecord["images"][number];

/** Stores images that do not exist yet. @throws AppError `disk` */
export async function storeImages(
  images: readonly { readonly file: ImageFile; readonly tokens: number }[],
  { fileSystem, folder, sha256 }: ImageFolder,
): Promise<readonly StoredImage[]> {
  const stored: StoredImage[] = [];
  if (images.length > 0) await fileSystem.makeDirectory(runPaths(folder).imageFolder);
  for (const { file, tokens } of images) {
    const { width, height, format, bytes } = file;
    const name = `${sha256(bytes)}.${format}`;
    const path = `${runPaths(folder).imageFolder}/${name}`;
    // A file of another size was truncated by a machine crash.
    if ((await fileSystem.size(path)) !== bytes.length) await fileSystem.writeAtomic(path, bytes);
    stored.push({ file: name, width, height, tokens });
  }
  return stored;
}

/** An image as a `data:` URL. @throws like {@link readStoredImage} */
export async function readImageAddress(name: string, where: ImageFolder): Promise<string> {
  return imageAddress(await readStoredImage(name, where));
}

/**
 * Reads an image and verifies that it matches its name.
 * @throws AppError `image-invalid`, `file-not-found`, `file-too-large`, `folder-unsafe`
 */
export async function readStoredImage(
  name: string,
  { fileSystem, folder, sha256 }: ImageFolder,
): Promise<ImageFile> {
  const [, digest, format] = IMAGE_NAME.exec(name) ?? [];
  if (digest === undefined) throw damaged(name);
  const path = `${runPaths(folder).imageFolder}/${name}`;
  const bytes = await fileSystem.readBytes(path, MAX_IMAGE_BYTES);
  const found = identifyImage(bytes);
  if (found?.format !== format || found === null || sha256(bytes) !== digest) throw damaged(name);
  if (!isUsableSize(found)) throw tooManyPixels(name, found);
  return { ...found, bytes, base64: encodeBase64(bytes) };
}

const IMAGE_NAME = /^([0-9a-f]{64})\.(png|jpeg)$/;

function damaged(name: string): AppError {
  return new AppError(
    "image-invalid",
    `The image ${name.slice(0, 80)} of the run folder is not the one that the model saw.`,
  );
}

function tooManyPixels(name: string, { width, height }: ImageSize): AppError {
  return new AppError(
    "image-invalid",
    `The image ${name} of the run folder is ${width} x ${height} pixels, too many to show.`,
  );
}

function encodeBase64(bytes: Uint8Array): string {
  const BLOCK = 0x8000;
  let units = "";
  for (let at = 0; at < bytes.length; at += BLOCK) {
    units += String.fromCharCode(...bytes.subarray(at, at + BLOCK));
  }
  return btoa(units);
}
