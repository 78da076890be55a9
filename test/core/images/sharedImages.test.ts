import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { SharedImages } from "../../../src/core/images/sharedImages.ts";
import { RolloutImages } from "../../../src/core/rollout/rolloutImages.ts";
import { imageBlock, pngBytes } from "./someImages.ts";

const images = { kind: "sent", countTokens: () => 64, shared: new SharedImages() } as const;

/** The images of a rollout after its environment sent these. */
function heldBy(...texts: readonly string[]) {
  const own = new RolloutImages({
    chat: { images },
    settings: { onImage: "error" },
    environment: "pictures",
  });
  own.read(texts.map((text) => imageBlock(pngBytes(9, 9, text))));
  return own.all.map(({ file }) => file);
}

it("rollouts with equal images share one of them", () => {
  const [first, again, other] = heldBy("a", "a", "b");
  const [second] = heldBy("a");
  expect(again).toBe(first);
  expect(second).toBe(first);
  expect(other).not.toBe(first);
  expect(Buffer.from(other?.bytes ?? [])).toEqual(pngBytes(9, 9, "b"));
});

it("an image that no rollout holds anymore is released", async () => {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("there is no way to collect garbage");
  const [last] = heldBy("c").map((file) => new WeakRef(file));
  // Objects read in this turn of the event loop are kept until its end.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(last?.deref()).toBeUndefined();
  expect(heldBy("c")[0]?.width).toBe(9);
});
