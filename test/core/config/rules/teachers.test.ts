import { describe, expect, it } from "vitest";
import { messagesIn, textWith } from "../configText.ts";

describe("a teacher", () => {
  it("is one model or one checkpoint", () => {
    for (const teacher of ["{}", "{model: Qwen/Qwen3-32B, checkpoint: runs/one}"]) {
      expect(messagesIn(textWith(`teacher: ${teacher}\n`))).toEqual([
        expect.stringMatching(/error: TRL227 .*`model`.*`checkpoint`/),
      ]);
    }
    expect(messagesIn(textWith("teacher: {checkpoint: runs/one}\n"))).toEqual([]);
  });

  it("has a non-empty context", () => {
    const teacher = (context: string) =>
      textWith(`teacher: {model: Qwen/Qwen3-32B, context: "${context}"}\n`);
    expect(messagesIn(teacher("Count first."))).toEqual(messagesIn(teacher("Add.")));
    expect(messagesIn(teacher(" "))).toEqual([
      expect.stringMatching(/error: TRL227 The text that the teacher alone reads is empty/),
    ]);
  });

  it("causes a warning if its tokens differ from the policy's", () => {
    expect(messagesIn(textWith("teacher: {model: meta-llama/Llama-3.1-8B}\n"))).toEqual([
      expect.stringMatching(/TRL227 .*is of another family than/),
    ]);
  });
});

describe("the `kl_coef` reference", () => {
  it("cannot be init without initial weights", () => {
    const keys = "kl_coef: 0.1\nkl_reference: init\n";
    expect(messagesIn(textWith(keys))).toEqual([
      expect.stringMatching(/error: TRL227 `kl_reference: init` is the weights of `init_from`/),
    ]);
    expect(messagesIn(textWith(`${keys}init_from: runs/one\n`))).toEqual([]);
  });
});

describe("the layers of the adapter", () => {
  it("include at least one", () => {
    expect(messagesIn(textWith("train_attn: false\n"))).toEqual([]);
    const none = "train_attn: false\ntrain_mlp: false\ntrain_unembed: false\n";
    expect(messagesIn(textWith(none))).toEqual([
      expect.stringMatching(/error: TRL228 The adapter changes nothing/),
    ]);
  });
});
