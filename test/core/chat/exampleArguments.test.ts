import { describe, expect, it } from "vitest";
import { exampleArguments } from "../../../src/core/chat/exampleArguments.ts";
import type { ExactJsonObject } from "../../../src/core/util/exactJson.ts";

const ofProperty = (schema: ExactJsonObject) =>
  exampleArguments({ type: "object", properties: { file_name: schema } })["file_name"];

describe("made-up arguments", () => {
  it("have a value of each property's type", () => {
    expect(ofProperty({ type: "string" })).toBe("some file name");
    expect(ofProperty({ type: "integer", minimum: 4 })).toBe(4);
    expect(ofProperty({ type: "number" })).toBe(1);
    expect(ofProperty({ type: "boolean" })).toBe(true);
    expect(ofProperty({ type: ["null", "array"], items: { type: "integer" } })).toEqual([1]);
    expect(ofProperty({})).toBe("some file name");
  });

  it("take what the schema names before what is made up", () => {
    expect(ofProperty({ type: "string", enum: ["left", "right"] })).toBe("left");
    expect(ofProperty({ type: "string", default: "up" })).toBe("up");
    expect(ofProperty({ type: "string", examples: ["a.txt"], default: "up" })).toBe("a.txt");
    expect(ofProperty({ const: 7 })).toBe(7);
  });

  it("leave optional ones out where some are required", () => {
    const properties = { x: { type: "integer" }, y: { type: "integer" } };
    expect(exampleArguments({ properties, required: ["y"] })).toEqual({ y: 1 });
    expect(exampleArguments({ properties })).toEqual({ x: 1, y: 1 });
    expect(exampleArguments({})).toEqual({});
  });

  it("follow references and choices, also those that lead to themselves", () => {
    const schema: ExactJsonObject = {
      properties: { node: { $ref: "#/$defs/node" }, id: { anyOf: [{ type: "integer" }] } },
      $defs: { node: { type: "object", properties: { child: { $ref: "#/$defs/node" } } } },
    };
    expect(exampleArguments(schema)).toMatchObject({ id: 1, node: { child: {} } });
    expect(exampleArguments({ properties: { loop: { $ref: "#/properties/loop" } } })).toEqual({
      loop: null,
    });
  });
});
