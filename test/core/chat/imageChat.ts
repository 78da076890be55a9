/** The chat format of Qwen3.5, which reads images, with a byte tokenizer. */

import type { Chat, ImageSupport } from "../../../src/core/chat/chat.ts";
import { qwen35 } from "../../../src/core/chat/families/qwen35.ts";
import { QWEN_IMAGES } from "../../../src/core/chat/families/qwenImages.ts";
import { createNativeRenderer } from "../../../src/core/chat/nativeRenderer.ts";
import { SharedImages } from "../../../src/core/images/sharedImages.ts";
import { tinyModel } from "./tinyModel.ts";

const { tokenizer } = tinyModel();
const FORMAT = { thinking: false, effort: null, retention: "all", date: "2026-11-22" } as const;
const images: ImageSupport = {
  kind: "sent",
  countTokens: QWEN_IMAGES.countTokens,
  shared: new SharedImages(),
};

export const imageChat = {
  renderer: createNativeRenderer(qwen35(FORMAT), tokenizer),
  tokenizer,
  images,
} satisfies Chat;
