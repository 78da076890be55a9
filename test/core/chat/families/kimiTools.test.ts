import { describe, expect, it } from "vitest";
import { writeTypeScript } from "../../../../src/core/chat/families/kimiTools.ts";
import type { ExactJsonObject } from "../../../../src/core/util/exactJson.ts";

function declare(parameters: ExactJsonObject, description = ""): string | null {
  const text = writeTypeScript([
    { type: "function", function: { name: "f", description, parameters } },
  ]);
  return text?.replace(/^# Tools\n\n## functions\nnamespace functions {\n|\n}\n$/g, "") ?? null;
}

describe("tools as TypeScript", () => {
  it("list required parameters first, with each type by name", () => {
    const text = declare(
      {
        type: "object",
        properties: { z: { type: "string" }, b: { type: "integer" }, a: {}, c: { type: "null" } },
        required: ["z", "b"],
        additionalProperties: false,
      },
      "First line.\n\nSecond line.",
    );
    expect(text).toBe(`// First line.

// Second line.
type f = (_: {
  b: number,
  z: string,
  a?: any,
  c?: null,
  [k: string]: never
}) => any;`);
  });

  it("have descriptions, limits, and defaults in comments", () => {
    const properties = {
      limit: { type: "integer", description: "Offers", minimum: 1, maximum: 50, default: 10 },
      name: { type: "string", pattern: "^a", maxLength: 5, default: "" },
      flag: { type: "boolean", default: false },
    };
    expect(declare({ properties })).toBe(`type f = (_: {
  // Default: false
  flag?: boolean,
  // Offers
  // maximum: 50, minimum: 1
  // Default: 10
  limit?: number,
  // maxLength: 5, pattern: ^a
  // Default: ""
  name?: string
}) => any;`);
  });

  it("expand enums, unions, lists, and objects", () => {
    const item = { type: "object", properties: { x: { type: ["string", "null"] } } };
    const properties = {
      a: { enum: ["é", 1, null] },
      b: { anyOf: [{ type: "integer" }, { type: "array" }] },
      c: { type: "array", items: item },
      d: { type: "array", items: { type: "string", description: "Stop" } },
      e: { type: "object", additionalProperties: { type: "number" } },
    };
    expect(declare({ properties })).toBe(`type f = (_: {
  a?: "é" | 1 | null,
  b?: number | Array<any>,
  c?: Array<{
    x?: string | null
  }>,
  d?: Array<
    // Stop
    string
  >,
  e?: {
    [k: string]: number
  }
}) => any;`);
  });

  it("name types that a schema defines, including recursive ones", () => {
    const $defs = { Guest: { type: "object", description: "Who", properties: {} } };
    const properties = { guests: { type: "array", items: { $ref: "#/$defs/Guest" } } };
    expect(declare({ $defs, properties })).toBe(`// Who
interface Guest {}
type f = (_: {
  guests?: Array<Guest>
}) => any;`);
    expect(declare({ properties: { next: { $ref: "#" } } })).toBe(`interface parameters {
  next?: parameters
}
type f = (_: parameters) => any;`);
  });

  it("are not written for a schema with unsupported keywords", () => {
    expect(declare({ properties: { a: { $ref: "https://example.com/a.json" } } })).toBeNull();
    expect(declare({ properties: { a: { oneOf: [] } } })).toBeNull();
    expect(declare({ properties: { a: { type: ["string", "date"] } } })).toBeNull();
  });
});
