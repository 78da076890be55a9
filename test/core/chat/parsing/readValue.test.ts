import { describe, expect, it } from "vitest";
import { readValue } from "../../../../src/core/chat/parsing/readValue.ts";
import { toolSchema } from "../../../../src/core/chat/toolSchema.ts";
import {
  type ExactJson,
  type ExactJsonObject,
  ExactNumber,
} from "../../../../src/core/util/exactJson.ts";

const TEXT = { type: "string" };
const NULL = { type: "null" };

/** Reads a parameter with this schema; `$defs` belong to the tool. */
function read(written: string, schema: ExactJson, $defs: ExactJsonObject = {}): ExactJson {
  const parameters = { type: "object", properties: { value: schema }, $defs };
  return readValue(written, toolSchema(parameters).parameter("value"));
}

const LIKE_JSON = ["12345", "1.0", "true", "[1, 2]", '{"name": "app", "private": true}', '"a"', ""];

describe("a value is read as text", () => {
  it.each<[string, ExactJson, ExactJsonObject?]>([
    ["a string", TEXT],
    ["an optional string", { anyOf: [TEXT, NULL] }],
    ["a list of types", { type: ["string", "null"] }],
    ["a nullable string", { type: "string", nullable: true }],
    ["either of two strings", { oneOf: [{ ...TEXT, format: "uri" }, TEXT] }],
    ["all of a string and a note", { allOf: [TEXT, { description: "Its text." }] }],
    ["a string that another part narrows", { anyOf: [TEXT, { type: "integer" }], type: "string" }],
    ["a reference", { $ref: "#/$defs/Text", description: "Its text." }, { Text: TEXT }],
    ["a chain of references", { $ref: "#/$defs/A" }, { A: { $ref: "#/$defs/B" }, B: TEXT }],
    ["a reference with escapes", { $ref: "#/$defs/a~1b~0%20c" }, { "a/b~ c": TEXT }],
    [
      "an optional reference",
      { anyOf: [{ $ref: "#/$defs/Text" }, NULL] },
      { Text: { allOf: [TEXT] } },
    ],
    ["anything that begins with a letter", { type: "string", pattern: "^[a-z]" }],
    ["no type", {}],
    ["only a title", { title: "Value", default: null }],
    ["a reference to nowhere", { $ref: "#/$defs/Missing" }],
    ["a reference to another document", { $ref: "https://example.com/text.json" }],
    ["a reference to itself", { $ref: "#/$defs/Loop" }, { Loop: { $ref: "#/$defs/Loop" } }],
    ["an invalid schema", "string"],
  ])("if %s is declared", (_what, schema, $defs) => {
    expect(LIKE_JSON.map((text) => read(text, schema, $defs))).toEqual(LIKE_JSON);
  });

  it("if its JSON type is not declared", () => {
    expect(read("true", { type: "integer" })).toBe("true");
    expect(read("1", { type: "boolean" })).toBe("1");
    expect(read("null", { type: "integer" })).toBe("null");
    expect(read('"2"', { type: "integer" })).toBe('"2"');
    expect(read("{}", { type: "array" })).toBe("{}");
    expect(read("twelve", { type: "integer" })).toBe("twelve");
  });
});

describe("a value is read as JSON", () => {
  it.each<[string, string, ExactJson, ExactJson]>([
    ["an integer", "7", { type: "integer" }, 7],
    ["an optional integer", "7", { anyOf: [{ type: "integer" }, NULL] }, 7],
    ["no value", "null", { anyOf: [{ type: "integer" }, NULL] }, null],
    ["no value for a string", "null", { anyOf: [TEXT, NULL] }, null],
    ["no value as Python prints it", "None", { anyOf: [TEXT, NULL] }, null],
    ["a truth value", " true ", { type: "boolean" }, true],
    ["a truth value as Python prints it", "False", { type: "boolean" }, false],
    ["a list", '["a", 1]', { type: "array" }, ["a", 1]],
    ["an object without a type", '{"a": 1}', { properties: { a: {} } }, { a: 1 }],
    ["what its schema refuses and its type allows", "9", { enum: [1, 2] }, 9],
    ["a fraction for an integer", "1.5", { type: "integer" }, 1.5],
  ])("if %s is declared", (_what, written, schema, value) => {
    expect(read(written, schema)).toEqual(value);
  });

  it("with all digits of its numbers", () => {
    const big = "123456789012345678901234567890";
    expect(read(big, { type: "integer" })).toEqual(new ExactNumber(big));
    expect(read("1.0", { type: "integer" })).toEqual(new ExactNumber("1.0"));
  });

  it("if the tool does not declare the parameter", () => {
    const { parameter } = toolSchema({ type: "object", properties: { value: TEXT } });
    expect(readValue("1", parameter("other"))).toBe(1);
    expect(readValue("1", parameter("constructor"))).toBe(1);
    expect(readValue("one", parameter("other"))).toBe("one");
  });
});

describe("a value declared as a string or other types", () => {
  const either = { anyOf: [{ type: "integer" }, TEXT] };

  it("is JSON if it matches another declared type, and text otherwise", () => {
    expect(read("42", either)).toBe(42);
    expect(read("42", { anyOf: [TEXT, { type: "integer" }] })).toBe(42);
    expect(read("1.0", either)).toBe("1.0");
    expect(read("042", either)).toBe("042");
    expect(read("true", either)).toBe("true");
    expect(read('"42"', either)).toBe('"42"');
    expect(read("2.5", { anyOf: [{ type: "number" }, TEXT] })).toBe(2.5);
  });

  it("is text if surrounded by spaces", () => {
    expect([" 42", "42\n"].map((text) => read(text, either))).toEqual([" 42", "42\n"]);
    expect(read(" null", { anyOf: [TEXT, NULL] })).toBe(" null");
  });

  it("is a list or an object only if all of it matches", () => {
    const texts = { anyOf: [TEXT, { type: "array", items: TEXT }] };
    expect(read('["a", "b"]', texts)).toEqual(["a", "b"]);
    expect(read("[1, 2]", texts)).toBe("[1, 2]");
    const block = {
      type: "object",
      properties: { kind: { const: "text" }, next: { $ref: "#/$defs/Block" } },
      required: ["kind"],
      additionalProperties: false,
    };
    const blocks = { anyOf: [TEXT, { $ref: "#/$defs/Block" }] };
    const defs = { Block: block };
    const nested = '{"kind": "text", "next": {"kind": "text"}}';
    expect(read(nested, blocks, defs)).toEqual({ kind: "text", next: { kind: "text" } });
    for (const other of [
      '{"name": "app"}',
      '{"kind": "image"}',
      '{"kind": "text", "name": "app"}',
      '{"kind": "text", "next": {}}',
    ]) {
      expect(read(other, blocks, defs)).toBe(other);
    }
    const counts = { anyOf: [TEXT, { additionalProperties: { type: "integer" }, type: "object" }] };
    expect(read('{"a": 1}', counts)).toEqual({ a: 1 });
    expect(read('{"a": "1"}', counts)).toBe('{"a": "1"}');
  });
});

describe("an enum or a constant determines the type by its values", () => {
  it.each<[ExactJson, string, ExactJson]>([
    [{ enum: ["1", "2"] }, "1", "1"],
    [{ enum: [1, 2] }, "1", 1],
    [{ enum: [1, 2], type: "integer" }, "2", 2],
    [{ enum: ["1", 2] }, "1", "1"],
    [{ enum: ["1", 2] }, "2", 2],
    [{ enum: ["true", false] }, "true", "true"],
    [{ enum: ["true", false] }, "false", false],
    [{ enum: ["left", null] }, "null", null],
    [{ enum: ["null", "left"] }, "null", "null"],
    [{ const: "1" }, "1", "1"],
    [{ const: 1 }, "1", 1],
    [{ enum: ["left"] }, '"left"', "left"],
    [{ anyOf: [{ enum: [1, 2] }, TEXT] }, "2", 2],
    [{ anyOf: [{ enum: [1, 2] }, TEXT] }, "3", "3"],
    [{ anyOf: [{ enum: ["1", "2"] }, NULL] }, "3", "3"],
  ])("%j reads %s as %j", (schema, written, value) => {
    expect(read(written, schema)).toEqual(value);
  });
});

describe("a parameter is found", () => {
  const node = {
    type: "object",
    properties: { label: TEXT, next: { anyOf: [{ $ref: "#/$defs/Node" }, NULL] } },
  };

  it.each<[string, ExactJsonObject]>([
    ["through a reference", { $ref: "#/$defs/Node", $defs: { Node: node } }],
    ["in a part of it", { allOf: [{ $ref: "#/$defs/Node" }, {}], $defs: { Node: node } }],
    ["in one of its forms", { oneOf: [{ properties: {} }, node], $defs: { Node: node } }],
    ["in all others", { additionalProperties: TEXT }],
  ])("%s", (_where, parameters) => {
    expect(readValue("1", toolSchema(parameters).parameter("label"))).toBe("1");
  });

  it("recursively", () => {
    const { parameter } = toolSchema({ $ref: "#/$defs/Node", $defs: { Node: node } });
    expect(readValue('{"label": "1", "next": null}', parameter("next"))).toEqual({
      label: "1",
      next: null,
    });
    const root = { type: "object", properties: { label: TEXT, next: { $ref: "#" } } };
    expect(readValue('{"label": "1"}', toolSchema(root).parameter("next"))).toEqual({ label: "1" });
  });
});

describe("a value that cannot be read as JSON in bounded time", () => {
  it("is text if a string is declared", () => {
    const deep = "[".repeat(100_000);
    expect(read(deep, { anyOf: [TEXT, NULL] })).toBe(deep);
  });

  it("is compared once with each schema, however many references there are", () => {
    const layers = Array.from({ length: 60 }, (_, i): [string, ExactJson] => {
      const next = { $ref: `#/$defs/L${i + 1}` };
      return [`L${i}`, { anyOf: [{ type: "array", items: next }, next, next] }];
    });
    const defs = Object.fromEntries([...layers, ["L60", { type: "integer" }]]);
    const value = read("[[[[[1]]]]]", { anyOf: [{ $ref: "#/$defs/L0" }, TEXT] }, defs);
    expect(value).toEqual([[[[[1]]]]]);
    const chain = Array.from({ length: 20_000 }, (_, i): [string, ExactJson] => [
      `C${i}`,
      { allOf: [{ $ref: `#/$defs/C${i + 1}` }] },
    ]);
    expect(read("1", { $ref: "#/$defs/C0" }, Object.fromEntries(chain))).toBe("1");
  });
});

it("reads a widely referenced schema only once", () => {
  const both = (i: number) => ({
    allOf: [{ $ref: `#/$defs/${i + 1}` }, { $ref: `#/$defs/${i + 1}` }],
  });
  const $defs: ExactJsonObject = {
    ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [i, both(i)])),
    60: { properties: { value: TEXT } },
  };
  const { parameter } = toolSchema({ $ref: "#/$defs/0", $defs });
  expect(readValue("12", parameter("value"))).toBe("12");
});
