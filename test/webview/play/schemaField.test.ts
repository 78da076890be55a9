import { describe, expect, it } from "vitest";
import { argumentFields, initialValue } from "../../../webview-ui/play/schemaField.ts";

/** The field kinds for an object with these properties. */
function kinds(properties: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return argumentFields({ type: "object", properties, ...more }).map(({ field }) => field);
}

describe("a form", () => {
  it("has a field for each kind of value", () => {
    expect(
      kinds({
        name: { type: "string" },
        code: { type: "string", maxLength: 8 },
        color: { enum: ["red", 3] },
        count: { type: "integer", minimum: 1, maximum: 9 },
        isFast: { type: "boolean" },
        words: { type: "array", items: { type: "string", maxLength: 20 } },
        place: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
      }),
    ).toEqual([
      { kind: "text", isLong: true },
      { kind: "text", isLong: false },
      { kind: "choice", values: ["red", 3] },
      { kind: "number", isInteger: true, min: 1, max: 9 },
      { kind: "boolean" },
      { kind: "list", item: { field: { kind: "text", isLong: false }, description: "" } },
      {
        kind: "object",
        fields: [
          {
            name: "x",
            isRequired: true,
            field: { kind: "number", isInteger: false },
            description: "",
          },
        ],
      },
    ]);
  });

  it("follows references, and a choice with null", () => {
    const $defs = { Side: { enum: ["buy", "sell"], description: "Which side" } };
    const fields = argumentFields({
      type: "object",
      $defs,
      properties: {
        side: { $ref: "#/$defs/Side" },
        limit: { anyOf: [{ type: "number" }, { type: "null" }], description: "In USD" },
      },
      required: ["side"],
    });
    expect(fields).toMatchObject([
      { name: "side", isRequired: true, description: "Which side", field: { kind: "choice" } },
      { name: "limit", isRequired: false, description: "In USD", field: { kind: "number" } },
    ]);
  });

  it("asks for JSON if no form is possible, also for a schema that refers to itself", () => {
    expect(kinds({ any: {}, either: { anyOf: [{ type: "string" }, { type: "number" }] } })).toEqual(
      [{ kind: "json" }, { kind: "json" }],
    );
    const tree = { type: "object", properties: { next: { $ref: "#/$defs/Tree" } } };
    const [field] = argumentFields({ ...tree, $defs: { Tree: tree } });
    expect(JSON.stringify(field)).toContain('"kind":"json"');
  });

  it("is empty for a tool without arguments", () => {
    expect(argumentFields(null)).toEqual([]);
    expect(kinds({})).toEqual([]);
  });

  it("starts with the schema's allowed values, and leaves out optional ones", () => {
    const [place] = argumentFields({
      type: "object",
      properties: {
        place: {
          type: "object",
          properties: {
            color: { enum: ["red"] },
            words: { type: "array", items: {} },
            note: { type: "string" },
          },
          required: ["color", "words"],
        },
      },
    });
    expect(place === undefined ? null : initialValue(place)).toEqual({ color: "red", words: [] });
  });
});
