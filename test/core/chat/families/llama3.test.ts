import { describe, expect, it } from "vitest";
import { llama3 } from "../../../../src/core/chat/families/llama3.ts";
import { ADD, formatOnBytes, result, user } from "./formatOnBytes.ts";

const ADDED = [
  "<|begin_of_text|>",
  "<|start_header_id|>",
  "<|end_header_id|>",
  "<|eot_id|>",
  "<|eom_id|>",
  "<|python_tag|>",
];
const { prompt, parse, bridge, stops } = formatOnBytes(llama3(), ADDED);
const OPENING = "<|start_header_id|>assistant<|end_header_id|>\n\n";
const CALL = '{"name": "add", "parameters": {"a": 2}}';

describe("a prompt of Llama 3", () => {
  it("begins with the dates of its template and the trimmed system text", () => {
    expect(prompt([{ role: "system", content: " Be brief.\n" }, user(" Hi ")])).toBe(
      "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\nBe brief.<|eot_id|>" +
        `<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>${OPENING}`,
    );
  });

  it("declares tools before the first user message, in lines indented by four", () => {
    const text = prompt([user("Add.")], [ADD]);
    expect(text).toContain("\n\nEnvironment: ipython\nCutting Knowledge");
    expect(text).toContain(
      'dictionary of argument name and its value}.Do not use variables.\n\n{\n    "type": "function",\n    "function": {\n        "name": "add"',
    );
    expect(text).toMatch(/\n}\n\nAdd\.<\|eot_id\|>/);
  });

  it("declares tools in a separate turn when the environment starts with another role", () => {
    const opening = { role: "assistant", content: "Hello.", reasoning: null, calls: [] } as const;
    expect(prompt([opening, user("Add.")], [ADD])).toMatch(
      /\n}\n\n<\|eot_id\|><\|start_header_id\|>assistant<\|end_header_id\|>\n\nHello\./,
    );
  });

  it("shows an earlier call as bare JSON and its result as a JSON string", () => {
    const calls = [{ id: "0", name: "add", args: { a: 2 } }];
    const text = prompt([
      user("Add."),
      { role: "assistant", content: "dropped", reasoning: null, calls },
      { role: "tool", name: "add", callId: "0", content: 'a "b"\n' },
    ]);
    expect(text).toContain(`${OPENING}${CALL}<|eot_id|>`);
    expect(text).toContain('ipython<|end_header_id|>\n\n"a \\"b\\"\\n"<|eot_id|>');
    expect(text).not.toContain("dropped");
  });

  it("is refused for a conversation with two calls in a turn", () => {
    const call = { id: "0", name: "add", args: {} };
    const turn = { role: "assistant", content: "", reasoning: null, calls: [call, call] } as const;
    expect(() => prompt([user("Add."), turn])).toThrow(/Llama 3 calls one tool per turn/);
  });
});

describe("a turn of Llama 3", () => {
  it("is a call if it is one JSON object with a name and parameters", () => {
    expect(parse(`${CALL}<|eot_id|>`)).toMatchObject({
      calls: [{ name: "add", args: { a: 2 }, raw: CALL }],
      errors: [],
      content: "",
      ended: true,
    });
    expect(parse(CALL.replace("parameters", "arguments")).calls).toHaveLength(1);
    expect(parse(CALL.replace("add", "unknown")).calls).toMatchObject([{ name: "unknown" }]);
  });

  it.each([
    ["text around the object", `I add. ${CALL}`],
    ["another object", '{"answer": 42}'],
    ["an object with a name and no parameters", '{"name": "add", "sum": 42}'],
    ["an object with a blank name", '{"name": " ", "parameters": {"a": 2}}'],
    ["broken JSON", '{"name": "add", "parameters": {"a": 1,}}'],
    ["two objects", `${CALL}; ${CALL}`],
  ])("is an answer if it is %s", (_what, text) => {
    expect(parse(`${text}<|eot_id|>`)).toMatchObject({ calls: [], errors: [], content: text });
  });

  it("is an answer if no tools were declared", () => {
    expect(parse(CALL, [])).toMatchObject({ calls: [], content: CALL, lead: CALL.length });
  });

  it("is a broken call if the parameters of a declared tool are not an object", () => {
    expect(parse('{"name": "add", "parameters": "2"}<|eot_id|>')).toMatchObject({
      calls: [],
      errors: [{ kind: "bad_arguments", message: expect.stringContaining('"parameters"') }],
      content: "",
    });
    const deep = `{"name": "add", "parameters": ${'{"a":'.repeat(300)}1${"}".repeat(300)}}`;
    expect(parse(deep).errors).toMatchObject([{ kind: "too_deep" }]);
  });

  it("may begin with the tag that announces a call", () => {
    const tagged = `<|python_tag|>${CALL}`;
    expect(parse(`${tagged}<|eom_id|>`)).toMatchObject({
      calls: [{ name: "add", args: { a: 2 }, raw: tagged }],
      errors: [],
      content: "",
    });
    expect(parse(`\n<|python_tag|> ${CALL}<|eot_id|>`).calls).toHaveLength(1);
    expect(parse(tagged, [])).toMatchObject({ calls: [], content: tagged });
    const twice = `<|python_tag|>${tagged}`;
    expect(parse(twice)).toMatchObject({ calls: [], errors: [], content: twice });
    const code = '<|python_tag|>print("Hi.")';
    expect(parse(code)).toMatchObject({ calls: [], errors: [], content: code });
  });

  it.each([
    ["not_json", '{"name": "add", "parameters": {"a": 1,}}'],
    ["missing_name", '{"answer": 42}'],
    ["missing_name", '{"name": "", "parameters": {}}'],
    ["bad_arguments", '{"name": "other", "parameters": "2"}'],
    ["bad_arguments", '{"name": "add"}'],
  ])("is a broken call, %s, if the tag is not followed by a valid object", (kind, object) => {
    const raw = `<|python_tag|>${object}`;
    const { calls, errors, content } = parse(`${raw}<|eom_id|>`);
    expect({ calls, errors, content }).toMatchObject({
      calls: [],
      errors: [{ kind, raw }],
      content: "",
    });
    expect(errors[0]?.message).not.toContain("<|");
  });

  it("ends at either of its end tokens", () => {
    expect(stops).toBe("<|eot_id|><|eom_id|>");
    expect(parse("Hi.<|eom_id|>")).toMatchObject({ content: "Hi.", ended: true });
    expect(parse("Hi.").ended).toBe(false);
  });
});

it("does not require the second end token, which the tokenizer of Llama 3.0 lacks", () => {
  const fewer = ADDED.filter((token) => token !== "<|eom_id|>");
  const older = formatOnBytes(llama3(), fewer);
  expect(older.stops).toBe("<|eot_id|>");
  expect(older.parse(`${CALL}<|eot_id|>`)).toMatchObject({ calls: [{ name: "add" }], ended: true });
});

describe("after a turn of Llama 3", () => {
  it("a result is in an ipython turn", () => {
    const next = `<|start_header_id|>ipython<|end_header_id|>\n\n"5"<|eot_id|>${OPENING}`;
    expect(bridge(`${CALL}<|eot_id|>`, result("5"))).toBe(next);
    expect(bridge(`${CALL}<|eom_id|>`, result("5"))).toBe(next);
    expect(bridge(CALL, result("5"))).toBe(`<|eot_id|>${next}`);
  });
});
