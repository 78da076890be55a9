/** The images of one rollout, in the order in which its environment sent them. */

import type { Chat, ImageSupport } from "../chat/chat.ts";
import type { PlacedImage } from "../chat/renderer.ts";
import { AppError } from "../errors.ts";
import type { ImageFile } from "../images/imageFile.ts";
import { imageId, imageText } from "../images/imageIds.ts";
import type { Block } from "../openreward/types.ts";
import type { RolloutSettings } from "./settings.ts";

export interface RolloutImagesOptions {
  readonly chat: Pick<Chat, "images">;
  readonly settings: Pick<RolloutSettings, "onImage">;
  /** Name for messages. */
  readonly environment: string;
}

/** What the model reads of a message. */
export interface Content {
  readonly content: string;
  readonly images?: readonly PlacedImage[];
}

export interface RolloutImage {
  readonly file: ImageFile;
  /** For the model. */
  readonly tokens: number;
}

/** Limits the images of a rollout, because all are sent again with each turn. */
const MAX_IMAGES = 64;
const TEXT_ONLY: ImageSupport = {
  kind: "refused",
  reason: "the model reads text only, and the environment sends images",
};

export class RolloutImages {
  readonly #all: RolloutImage[] = [];
  readonly #options: RolloutImagesOptions;

  constructor(options: RolloutImagesOptions) {
    this.#options = options;
  }

  /** Name for messages. */
  get environment(): string {
    return this.#options.environment;
  }

  get all(): readonly RolloutImage[] {
    return this.#all;
  }

  /**
   * Blocks joined without a separator, each image in its place: for a model that reads images; else as a placeholder where
   * `on_image` asks for that. An image is never dropped. @throws AppError `rollout-image`,
   * `rollout-image-limit`, `image-invalid`
   */
  read(blocks: readonly Block[]): Content {
    const images: PlacedImage[] = [];
    let content = "";
    for (const block of blocks) {
      if (block.type === "text") content += block.text;
      else {
        const image = this.#add(block.data);
        if (image === null) content += "[image]";
        else images.push({ at: content.length, ...image });
      }
    }
    return images.length === 0 ? { content } : { content, images };
  }

  /** Null for a placeholder. */
  #add(data: string): Pick<PlacedImage, "id" | "tokens"> | null {
    const { chat, settings, environment } = this.#options;
    if (settings.onImage === "placeholder") return null;
    const { images: support = TEXT_ONLY } = chat;
    if (support.kind === "refused") throw this.#refused(support.reason);
    if (this.#all.length >= MAX_IMAGES) {
      throw new AppError(
        "rollout-image-limit",
        `A rollout may hold ${MAX_IMAGES} images, and ${environment} sent more.`,
      );
    }
    const file = support.shared.read(data);
    const tokens = support.countTokens(file);
    if (tokens === null) {
      throw new AppError(
        "image-invalid",
        `An image of ${environment} has ${file.width} x ${file.height} pixels; the model takes none that is so long against its other side.`,
      );
    }
    this.#all.push({ file, tokens });
    return { id: imageId(this.#all.length - 1), tokens };
  }

  #refused(reason: string): AppError {
    const { environment } = this.#options;
    const key = `environments.${environment}.on_image`;
    const sentence = reason.charAt(0).toUpperCase() + reason.slice(1);
    return new AppError(
      "rollout-image",
      `${sentence}. Set ${key} to placeholder, or choose another environment or model.`,
      { configPath: key },
    );
  }
}

/** The content as people read it: `[image 1]` where the first image of the rollout stands. */
export function shownContent({ content, images = [] }: Content): string {
  let shown = "";
  let done = 0;
  for (const { at, id } of images) {
    shown += `${content.slice(done, at)}${imageText(id)}`;
    done = at;
  }
  return shown + content.slice(done);
}
