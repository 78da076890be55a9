import { expect, it } from "vitest";
import type { ToolDeclaration } from "../../../src/core/chat/renderer.ts";
import { restoredTools, storedTools } from "../../../src/core/rollout/episodeRecord.ts";
import { parseExactObject } from "../../../src/core/util/exactJson.ts";

it("tools are restored with the schemas that type their arguments", () => {
  const schema =
    '{"type":"object","properties":{"n":{"type":"string","maxLength":12345678901234567890}}}';
  const described = (name: string, parameters: string): ToolDeclaration => {
    const own = { name, description: "Adds.", parameters: parseExactObject(parameters) ?? {} };
    return { type: "function", function: own };
  };
  const tools = [described("add", schema), described("sub", schema)];
  expect(restoredTools(storedTools(tools))).toEqual(tools);
  const large = described("large", JSON.stringify({ type: "object", title: "x".repeat(100_000) }));
  expect(restoredTools(storedTools([large]))).toEqual([
    described("large", '{"type":"object","properties":{}}'),
  ]);
});
