import { describe, expect, it } from "vitest";
import {
  drawArguments,
  schemaFaults,
} from "../../../../src/core/environmentCheck/probe/jsonSchema.ts";
import { constantSource } from "../../../../src/core/environmentCheck/probe/valueSources.ts";
import type { JsonObject } from "../../../../src/core/json.ts";

describe("a schema", () => {
  const properties = { a: { type: "string" } };
  it.each<readonly [JsonObject]>([
    [{ properties, anyOf: [{ required: ["a"] }, { required: ["b"] }] }],
    [{ properties, allOf: [{ required: ["a"] }] }],
    [{ $ref: "#/$defs/x", required: ["a"], $defs: { x: { properties } } }],
    [{ properties, required: ["b"], additionalProperties: { type: "string" } }],
    [{ properties: { a: { type: "string", pattern: "^\\d{4}\\-\\d{2}$" } } }],
    [{ properties: { a: { type: "string", pattern: "\\A\\w+\\Z" } } }],
  ])("is without fault: %j", (schema) => {
    expect(schemaFaults(schema)).toEqual([]);
  });

  it("describes what it requires", () => {
    expect(schemaFaults({ type: "object", properties, required: ["a", "b"] })).toEqual([
      'the root requires "b", which it does not describe',
    ]);
  });
});

describe("arguments generated from a schema", () => {
  it("stay few when schemas refer to one another in many ways", () => {
    const names = ["a", "b", "c", "d", "e"];
    const node = { $ref: "#/$defs/node" };
    const schema: JsonObject = {
      ...node,
      $defs: {
        node: {
          type: "object",
          required: names,
          properties: Object.fromEntries(names.map((name) => [name, node])),
        },
      },
    };
    const source = constantSource("x", 0);
    expect(JSON.stringify(drawArguments(schema, source)).length).toBeLessThan(50_000);
  });

  it("follow a reference to a reference, and references in allOf", () => {
    const schema: JsonObject = {
      allOf: [{ $ref: "#/$defs/alias" }],
      $defs: {
        alias: { $ref: "#/$defs/move" },
        move: { properties: { to: { allOf: [{ $ref: "#/$defs/side" }] } }, required: ["to"] },
        side: { $ref: "#/$defs/sides" },
        sides: { enum: ["left", "right"] },
      },
    };
    expect(drawArguments(schema, constantSource("x"))).toEqual({ to: "left" });
  });

  it.each([
    ["anyOf", { anyOf: [{ required: ["a"] }, { required: ["b"] }] }],
    ["allOf", { allOf: [{ properties: { c: { const: 1 } } }, { required: ["a"] }] }],
  ])("have what the parts of a schema in %s require", (_, parts: JsonObject) => {
    const schema = { type: "object", properties: { a: { const: 1 }, b: { const: 2 } }, ...parts };
    expect(drawArguments(schema, constantSource("x"))).toMatchObject({ a: 1 });
  });

  it("stay few when a schema contains itself in many ways", () => {
    const self = { $ref: "#" };
    const schema: JsonObject = { allOf: [self, self, self, self, self, self], properties: {} };
    expect(drawArguments(schema, constantSource("x"))).toEqual({});
  });

  it.each([
    [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    [{ type: "number", exclusiveMaximum: 0 }],
    [{ type: "number", exclusiveMinimum: 0.25, maximum: 0.5 }],
    [{ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 2 }],
  ])("respect the bounds of %j", (value: JsonObject) => {
    const { exclusiveMinimum = Number.NEGATIVE_INFINITY, exclusiveMaximum = 0.5001 } = value;
    for (const choice of [0, 0.5, 1]) {
      const schema = { properties: { value }, required: ["value"] };
      const drawn = drawArguments(schema, constantSource("x", choice))["value"];
      expect(drawn).toBeGreaterThan(Number(exclusiveMinimum));
      expect(drawn).toBeLessThan(Number(exclusiveMaximum));
    }
  });
});
