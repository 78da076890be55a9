/** The images of token sequences, by the ids that they have there. */

import { AppError } from "../errors.ts";
import type { ImageFile } from "../images/imageFile.ts";
import { imageId, imageIndex, imageText } from "../images/imageIds.ts";
import type { ImageSupport } from "./chat.ts";
import type { ImagePart } from "./content.ts";

export interface PooledImage {
  readonly file: ImageFile;
  /** For the model. */
  readonly tokens: number;
}

const TEXT_ONLY: ImageSupport = { kind: "refused", reason: "the model reads only text" };

export class ImagePool {
  readonly #support: ImageSupport;
  /** Sparse once some were forgotten: an id never stands for two images. */
  readonly #all: PooledImage[] = [];
  /** Ids of equal ones, by their base64. */
  readonly #ids = new Map<string, readonly number[]>();
  #count = 0;

  constructor(support: ImageSupport = TEXT_ONLY) {
    this.#support = support;
  }

  /** Why the model gets none; null = it gets them. */
  get refusal(): string | null {
    return this.#support.kind === "refused" ? this.#support.reason : null;
  }

  /** In the order of their ids. */
  get all(): readonly PooledImage[] {
    return this.#all;
  }

  /** The same as a sampler takes them. */
  get files(): readonly ImageFile[] {
    return this.#all.map(({ file }) => file);
  }

  /** @throws AppError `chat-render` for one that is not here */
  fileOf({ id }: Pick<ImagePart, "id">): ImageFile {
    const image = this.#all[imageIndex(id)];
    if (image === undefined) throw new AppError("chat-render", `${imageText(id)} is not there.`);
    return image.file;
  }

  /** Those that were not forgotten. */
  get count(): number {
    return this.#count;
  }

  /** Reads one without adding it. @throws AppError `image-invalid`, and `chat-render` where the model gets none */
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

  /** Also where there is an equal one. */
  add({ file, tokens }: PooledImage): ImagePart {
    const id = imageId(this.#all.length);
    this.#all.push({ file, tokens });
    this.#ids.set(file.base64, [...this.#idsOf(file.base64), id]);
    this.#count += 1;
    return { id, tokens };
  }

  /** Of several equal ones, the one at a position. */
  find(base64: string, position: number): ImagePart | null {
    const id = this.#idsOf(base64)[position];
    const image = id === undefined ? undefined : this.#all[imageIndex(id)];
    return id === undefined || image === undefined ? null : { id, tokens: image.tokens };
  }

  /** Forgets all others. */
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
