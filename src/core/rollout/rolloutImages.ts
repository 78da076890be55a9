/** The images of one rollout, in the order the environment sent them. */

import type { Chat } from "../chat/chat.ts";
import { type Content, contentOfParts, type ImagePart } from "../chat/content.ts";
import { ImagePool, type PooledImage } from "../chat/imagePool.ts";
import { AppError } from "../errors.ts";
import type { Block } from "../openreward/types.ts";
import type { RolloutSettings } from "./settings.ts";

export interface RolloutImagesOptions {
  readonly chat: Pick<Chat, "images">;
  readonly settings: Pick<RolloutSettings, "onImage">;
  /** For messages. */
  readonly environment: string;
  /** Where images are collected; its own pool by default. */
  readonly pool?: ImagePool | undefined;
}

/** Limits the images per rollout, because all are sent again with every turn. */
export const MAX_IMAGES = 64;
/** Text that replaces an image for a model that does not get it. */
export const IMAGE_PLACEHOLDER = "[image]";

export class RolloutImages {
  readonly #options: RolloutImagesOptions;
  readonly #pool: ImagePool;

  constructor(options: RolloutImagesOptions) {
    this.#options = options;
    this.#pool = options.pool ?? new ImagePool(options.chat.images);
  }

  /** For messages. */
  get environment(): string {
    return this.#options.environment;
  }

  get all(): readonly PooledImage[] {
    return this.#pool.all;
  }

  /**
   * Joins blocks without a separator, with images in place for a model that reads images, or as placeholders if `on_image` asks for that.
   * An image is never dropped. @throws AppError `rollout-image`, `rollout-image-limit`, `image-invalid`
   */
  read(blocks: readonly Block[]): Content {
    return contentOfParts(
      blocks.map((block) => (block.type === "text" ? block.text : this.#part(block.data))),
    );
  }

  #part(data: string): ImagePart | string {
    const { settings, environment } = this.#options;
    if (settings.onImage === "placeholder") return IMAGE_PLACEHOLDER;
    const { refusal, count } = this.#pool;
    if (refusal !== null) throw this.#refused(refusal);
    if (count < MAX_IMAGES) return this.#pool.add(this.#pool.read(data));
    throw new AppError(
      "rollout-image-limit",
      `A rollout may hold ${MAX_IMAGES} images, and ${environment} sent more.`,
    );
  }

  #refused(reason: string): AppError {
    const { environment } = this.#options;
    const key = `environments.${environment}.on_image`;
    return new AppError(
      "rollout-image",
      `${environment} sends images, and ${reason}. Set ${key} to placeholder, or choose another environment or model.`,
      { configPath: key },
    );
  }
}
