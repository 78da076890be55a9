/** Shares equal images in memory, because the rollouts of a group usually see the same ones. */

import { type ImageFile, readImage } from "./imageFile.ts";

export class SharedImages {
  /** By base64. Images that are no longer used are removed. */
  readonly #known = new Map<string, WeakRef<ImageFile>>();
  readonly #unused = new FinalizationRegistry<string>((base64) => {
    if (this.#known.get(base64)?.deref() === undefined) this.#known.delete(base64);
  });

  /** @throws AppError `image-invalid`, as {@link readImage} does */
  read(base64: string): ImageFile {
    const known = this.#known.get(base64)?.deref();
    if (known !== undefined) return known;
    const image = readImage(base64);
    this.#known.set(base64, new WeakRef(image));
    this.#unused.register(image, base64);
    return image;
  }
}
