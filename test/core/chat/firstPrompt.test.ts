import { describe, expect, it } from "vitest";
import { buildFirstPrompt, withAddedText } from "../../../src/core/chat/firstPrompt.ts";

const ADD = {
  name: "add",
  description: "Adds “two”.",
  inputSchema: { type: "object", properties: { b: { type: "number" }, a: { type: "number" } } },
};
const STOP = { name: "stop", description: "Ends.", inputSchema: null };
const build = (systemPromptTemplate: string | null) =>
  buildFirstPrompt({
    systemPromptTemplate,
    task: [{ role: "user", content: "Add {tools}." }],
    tools: [ADD, STOP],
  });

describe("without {tools}", () => {
  it("declares the tools natively, with keys in their original order and an empty schema if a tool has none", () => {
    const { messages, tools } = build(null);
    expect(messages).toEqual([{ role: "user", content: "Add {tools}." }]);
    expect(JSON.stringify(tools)).toBe(
      '[{"type":"function","function":{"name":"add","description":"Adds “two”.","parameters":{"type":"object","properties":{"b":{"type":"number"},"a":{"type":"number"}}}}},' +
        '{"type":"function","function":{"name":"stop","description":"Ends.","parameters":{"type":"object","properties":{}}}}]',
    );
  });

  it("takes the template as plain text, including braces", () => {
    const text = 'Answer as {{"a": {x}}}.';
    const { messages, tools } = build(text);
    expect(messages[0]).toEqual({ role: "system", content: text, trusted: [[0, text.length]] });
    expect(tools).toHaveLength(2);
  });

  it("does not treat an escaped field as the real one", () => {
    expect(build("Use {{tools}}.").messages[0]?.content).toBe("Use {{tools}}.");
  });
});

describe("with {tools}", () => {
  it("lists each tool as a JSON line and declares nothing natively", () => {
    const { messages, tools } = build("Tools:\n{tools}\nGo.");
    expect(tools).toEqual([]);
    expect(messages[0]?.content).toBe(
      'Tools:\n{"name": "add", "arguments_schema": {"type": "object", "properties": {"b": {"type": "number"}, "a": {"type": "number"}}}, "description": "Adds “two”."}\n' +
        '{"name": "stop", "arguments_schema": {"type": "object", "properties": {}}, "description": "Ends."}\nGo.',
    );
  });

  it.each([
    ['{tools} {{"name": <n>, "arguments": {{}}}}', '{"name": <n>, "arguments": {}}'],
    ['{tools} {"name": {"deep": 1}}', '{"name": {"deep": 1}}'],
    ["{tools} {x} {{y}}", "{x} {y}"],
    ["{tools} {{tools}}", "{tools}"],
  ])("unescapes double braces and keeps single ones: %s", (template, expected) => {
    expect(
      build(template)
        .messages[0]?.content.split("\n")[1]
        ?.replace(/^.*?"Ends\."\} /, ""),
    ).toBe(expected);
  });

  it("trusts the text from the configuration, but nothing from the tools", () => {
    const [first] = build("Tools: {tools} {{go}}").messages;
    if (first?.role !== "system") throw new Error("there is no system text");
    const { content, trusted = [] } = first;
    expect(trusted.map(([start, end]) => content.slice(start, end)).join("")).toBe("Tools:  {go}");
  });
});

describe("text added to a prompt", () => {
  const user = { role: "user", content: "Add." } as const;
  const system = { role: "system", content: "Be brief." } as const;

  it("is appended to the first user message, and only that part may contain control tokens", () => {
    const messages = [system, user, { role: "user", content: "Now." }] as const;
    expect(withAddedText(messages, "Hint.")).toEqual([
      system,
      { role: "user", content: "Add.\n\nHint.", trusted: [[6, 11]] },
      messages[2],
    ]);
  });

  it("is a separate message when there is no user message", () => {
    const own = { role: "user", content: "Hint.", trusted: [[0, 5]] };
    expect(withAddedText([system], "Hint.")).toEqual([system, own]);
    expect(withAddedText([], "Hint.")).toEqual([own]);
  });
});
