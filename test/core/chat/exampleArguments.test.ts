import { describe, expect, it } from "vitest";
import { exampleArguments } from "../../../src/core/chat/exampleArguments.ts";
import { type ExactJsonObject, ExactNumber } from "../../../src/core/util/exactJson.ts";

const ofProperty = (schema: ExactJsonObject) =>
  exampleArguments({ type: "object", properties: { file_name: schema } })["file_name"];

describe("example arguments", () => {
  it("have a value of each property's type", () => {
    expect(ofProperty({ type: "string" })).toBe("some file name");
    expect(ofProperty({ type: "integer", minimum: 4 })).toBe(4);
    expect(ofProperty({ type: "number" })).toBe(1);
    expect(ofProperty({ type: "boolean" })).toBe(true);
    expect(ofProperty({ type: ["null", "array"], items: { type: "integer" } })).toEqual([1]);
    expect(ofProperty({})).toBe("some file name");
  });

  it("prefer values from the schema over invented ones", () => {
    expect(ofProperty({ type: "string", enum: ["left", "right"] })).toBe("left");
    expect(ofProperty({ type: "string", default: "up" })).toBe("up");
    expect(ofProperty({ type: "string", examples: ["a.txt"], default: "up" })).toBe("a.txt");
    expect(ofProperty({ const: 7 })).toBe(7);
  });

  it("include only required ones if there are any", () => {
    const properties = { x: { type: "integer" }, y: { type: "integer" } };
    expect(exampleArguments({ properties, required: ["y"] })).toEqual({ y: 1 });
    expect(exampleArguments({ properties })).toEqual({ x: 1, y: 1 });
    expect(exampleArguments({})).toEqual({});
  });

  it("follow references and choices, even recursive ones", () => {
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

describe("example arguments for schemas in pydantic's style", () => {
  it("follow references from the root, with escapes, and to the whole schema", () => {
    const Node = {
      type: "object",
      properties: {
        label: { type: "string" },
        children: { type: "array", items: { $ref: "#/$defs/Node" } },
      },
      required: ["label", "children"],
    };
    expect(exampleArguments({ $ref: "#/$defs/Node", $defs: { Node } })).toEqual({
      label: "some label",
      children: [],
    });
    const parameters = {
      properties: {
        size: { $ref: "#/$defs/a~1b%20c" },
        next: { anyOf: [{ $ref: "#" }, { type: "null" }] },
      },
      required: ["size", "next"],
      $defs: { "a/b c": { $ref: "#/$defs/Size" }, Size: { enum: [8, 16], type: "integer" } },
    };
    expect(exampleArguments(parameters)).toEqual({ size: 8, next: null });
  });

  it("avoid null when another alternative has a value, and merge the parts of allOf", () => {
    expect(ofProperty({ anyOf: [{ type: "null" }, { type: "string" }], default: null })).toBe(
      "some file name",
    );
    expect(
      ofProperty({
        allOf: [
          { type: "object", properties: { a: { const: 1 } } },
          { properties: { b: { const: 2 } } },
        ],
      }),
    ).toEqual({ a: 1, b: 2 });
    expect(ofProperty({ description: "Its name.", allOf: [{ type: "integer" }] })).toBe(1);
  });

  it("respect limits of numbers, strings, and lists", () => {
    expect(ofProperty({ type: "integer", exclusiveMinimum: 3 })).toBe(4);
    expect(ofProperty({ type: "number", minimum: new ExactNumber("0.0"), maximum: 0.5 })).toBe(0);
    expect(ofProperty({ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 })).toBe(0.5);
    expect(ofProperty({ type: "integer", maximum: -2 })).toBe(-2);
    expect(ofProperty({ type: "string", minLength: 16 })).toBe("some file name..");
    expect(ofProperty({ type: "string", maxLength: 4 })).toBe("some");
    expect(ofProperty({ type: "array", items: { type: "integer" }, minItems: 2 })).toEqual([1, 1]);
    expect(
      ofProperty({ type: "array", prefixItems: [{ type: "integer" }, { type: "string" }] }),
    ).toEqual([1, "some file name"]);
    expect(ofProperty({ type: "string", format: "date" })).toBe("2026-01-02");
  });

  it("are omitted when they would need too many values", () => {
    const level = (i: number) => ({ $ref: `#/$defs/${i + 1}` });
    const twice = (i: number) => ({
      properties: { a: level(i), b: level(i) },
      required: ["a", "b"],
    });
    const both = (i: number) => ({ allOf: [level(i), level(i)] });
    for (const definition of [twice, both]) {
      const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [i, definition(i)]));
      expect(exampleArguments({ ...twice(-1), $defs })).toEqual({});
    }
    expect(ofProperty({ type: "array", minItems: 4e9 })).toBeUndefined();
  });
});
