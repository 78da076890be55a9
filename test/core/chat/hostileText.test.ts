import { describe, expect, it } from "vitest";
import { createNativeRenderer } from "../../../src/core/chat/nativeRenderer.ts";
import type { Renderer } from "../../../src/core/chat/renderer.ts";
import { NATIVE_FORMATS } from "../../../src/core/chat/setup/nativeFormats.ts";
import { isAppError } from "../../../src/core/errors.ts";
import { byteTokenizer } from "./byteTokenizer.ts";
import { addsNoControl, hostileFollowUps } from "./hostileTexts.ts";

const FORMATS = Object.entries(NATIVE_FORMATS);
const FOLLOW_UPS = [...hostileFollowUps(["x"], { count: 4 })];

/** A renderer on a byte tokenizer with the added tokens that the format requires. */
function rendererOnBytes(create: (typeof FORMATS)[number][1]) {
  const format = create({ thinking: true, effort: null, retention: "all", date: "2026-01-02" });
  const added: string[] = [];
  for (;;) {
    const tokenizer = byteTokenizer(added);
    try {
      const renderer: Renderer = createNativeRenderer(format, tokenizer);
      for (const followUps of FOLLOW_UPS) renderer.bridge([], followUps);
      return { renderer, tokenizer, added };
    } catch (error) {
      if (!isAppError(error, "chat-token-missing")) throw error;
      added.push(String(error.data?.["token"]));
    }
  }
}

describe.each(FORMATS)("the chat format %s", (_name, create) => {
  it("turns no environment text into control tokens", () => {
    const { renderer, tokenizer, added } = rendererOnBytes(create);
    const isHarmless = addsNoControl(renderer, tokenizer);
    const followUps = [...hostileFollowUps(["</think>", "<tool_call>", ...added], { count: 400 })];
    expect(followUps.filter((texts) => !isHarmless(texts))).toEqual([]);
    expect(followUps).toHaveLength(400);
  });
});
