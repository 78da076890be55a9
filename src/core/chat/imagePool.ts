/** The images in token sequences, indexed by id. */

import { AppError } from "../errors.ts";
import type { ImageFile } from "../images/imageFile.ts";
import { imageId, imageIndex, imageText } from "../images/imageIds.ts";
import type { ImageSupport } from "./chat.ts";
import type { ImagePart } from "./content.ts";

export interface PooledImage {
  readonly file: ImageFile;
  /** Tokens that it takes in the prompt. */
  readonly tokens: number;
}

const TEXT_ONLY: ImageSupport = { kind: "refused", reason: "the model reads only text" };

export class ImagePool {
  readonly #support: ImageSupport;
  /** Becomes sparse as images are dropped: an id is never reused. */
  readonly #all: PooledImage[] = [];
  /** Ids of identical images, by base64. */
  readonly #ids = new Map<string, readonly number[]>();
  #count = 0;

  constructor(support: ImageSupport = TEXT_ONLY) {
    this.#support = support;
  }

  /** Why the model takes no images; null = it takes them. */
  get refusal(): string | null {
    return this.#support.kind === "refused" ? this.#support.reason : null;
  }

  /** Ordered by id. */
  get all(): readonly PooledImage[] {
    return this.#all;
  }

  /** The image files in the same order, as samplers take them. */
  get files(): readonly ImageFile[] {
    return this.#all.map(({ file }) => file);
  }

  /** @throws AppError `chat-render` if the image is unknown */
  fileOf({ id }: Pick<ImagePart, "id">): ImageFile {
    const image = this.#all[imageIndex(id)];
    if (image === undefined) throw new AppError("chat-render", `${imageText(id)} is not there.`);
    return image.file;
  }

  /** The number of images not dropped. */
  get count(): number {
    return this.#count;
  }

  /** Reads an image without adding it. @throws AppError `image-invalid`, or `chat-render` if the model takes no images */
  read(base64: string): PooledImage {
    if (this.#support.kind === "refused") {
      throw new AppError("chat-render", `${this.#support.reason}.`);
    }
    const file = this.#support.shared.read(base64);
    const tokens = this.#support.countTokens(file);
    if (tokens === null) {
      throw new AppError(
        "image-invalid",
        `An image has ${file.width} x ${file.height} pixels; the model takes none that is so long against its other side.`,
      );
    }
    return { file, tokens };
  }

  /** Adds an image, even if an identical one exists. */
  add({ file, tokens }: PooledImage): ImagePart {
    const id = imageId(this.#all.length);
    this.#all.push({ file, tokens });
    this.#ids.set(file.base64, [...this.#idsOf(file.base64), id]);
    this.#count += 1;
    return { id, tokens };
  }

  /** The image at a position among identical ones. */
  find(base64: string, position: number): ImagePart | null {
    const id = this.#idsOf(base64)[position];
    const image = id === undefined ? undefined : this.#all[imageIndex(id)];
    return id === undefined || image === undefined ? null : { id, tokens: image.tokens };
  }

  /** Drops all other images. */
  keepOnly(ids: ReadonlySet<number>): void {
    for (const [base64, own] of this.#ids) {
      const kept = own.filter((id) => ids.has(id));
      if (kept.length === own.length) continue;
      for (const id of own) if (!ids.has(id)) delete this.#all[imageIndex(id)];
      this.#count -= own.length - kept.length;
      if (kept.length === 0) this.#ids.delete(base64);
      else this.#ids.set(base64, kept);
    }
  }

  #idsOf(base64: string): readonly number[] {
    return this.#ids.get(base64) ?? [];
  }
}
