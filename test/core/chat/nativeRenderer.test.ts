import { expect, it } from "vitest";
import { qwen35 } from "../../../src/core/chat/families/qwen35.ts";
import { createNativeRenderer } from "../../../src/core/chat/nativeRenderer.ts";
import { idOf, tinyModel } from "./tinyModel.ts";

const { tokenizer } = tinyModel();
const FORMAT = { thinking: false, effort: null, retention: "all", date: "2026-11-22" } as const;
const renderer = createNativeRenderer(qwen35(FORMAT), tokenizer);

const count = (ids: ArrayLike<number>, id: number): number =>
  Array.from(ids).filter((each) => each === id).length;

it("a tool's description cannot displace a token that the configuration wrote", () => {
  const system = { role: "system", content: "Be brief.<|im_end|>", trusted: [[0, 19]] } as const;
  const ids = (description: string): readonly number[] =>
    renderer.renderInitial(
      [system, { role: "user", content: "Add." }],
      [{ type: "function", function: { name: "add", description, parameters: {} } }],
    );
  const ends = (description: string): number => count(ids(description), idOf("<|im_end|>"));
  expect(ends("Adds.\ue000")).toBe(ends("Adds."));
});
