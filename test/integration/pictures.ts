/** An environment with images in its prompts and in its tool's result. */

import { defineEnvironment } from "../../src/local/environment/environment.ts";
import { drawnPng } from "../core/images/someImages.ts";

/** A distinct image per task. */
export const promptPicture = (task: number): Buffer => drawnPng(64, 48, task);
/** The same image for all tasks. */
export const RESULT_PICTURE = drawnPng(300, 40);

const block = (picture: Buffer) => {
  return { type: "image", data: picture.toString("base64"), mimeType: "image/png" } as const;
};

export const pictures = defineEnvironment<{ readonly number: number }, null>({
  name: "pictures",
  description: "Look at pictures.",
  splits: { train: 20, test: 4 },
  task: (split, index) => ({ number: split === "train" ? index : 100 + index }),
  start: () => null,
  prompt: ({ number }) => `Picture ${number}`,
  promptBlocks: ({ number }) => [
    { type: "text", text: "What is in " },
    block(promptPicture(number)),
    { type: "text", text: "?" },
  ],
  tools: {
    look: {
      description: "Shows another picture.",
      input: null,
      run: () => ({ text: "", blocks: [{ type: "text", text: "Seen: " }, block(RESULT_PICTURE)] }),
    },
  },
});
