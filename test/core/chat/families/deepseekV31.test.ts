import { describe, expect, it } from "vitest";
import { deepseekV31 } from "../../../../src/core/chat/families/deepseekV31.ts";
import { DEEPSEEK_V31_TOKENS } from "../../../fixtures/controlTokens.ts";
import { ADD, OPTIONS as DEFAULTS, formatOnBytes, result, user } from "./formatOnBytes.ts";

const OPTIONS = { ...DEFAULTS, thinking: false } as const;
const { prompt, parse, bridge } = formatOnBytes(deepseekV31(OPTIONS), DEEPSEEK_V31_TOKENS);
const thinking = formatOnBytes(deepseekV31({ ...OPTIONS, thinking: true }), DEEPSEEK_V31_TOKENS);
const END = "<｜end▁of▁sentence｜>";
const CALL = '<｜tool▁call▁begin｜>add<｜tool▁sep｜>{"a": 2}<｜tool▁call▁end｜>';
const CALLS = `<｜tool▁calls▁begin｜>${CALL}<｜tool▁calls▁end｜>`;

describe("a prompt of DeepSeek V3.1", () => {
  it("has the system text and turns without line breaks, with reasoning opened or closed", () => {
    const messages = [{ role: "system", content: "Be brief." } as const, user("Hi")];
    const text = "<｜begin▁of▁sentence｜>Be brief.<｜User｜>Hi<｜Assistant｜>";
    expect(prompt(messages)).toBe(`${text}</think>`);
    expect(thinking.prompt(messages)).toBe(`${text}<think>`);
  });

  it("lists the tools in the system text, with the call tokens explained", () => {
    const declared = { ...ADD, function: { ...ADD.function, description: "Addiert schön." } };
    const text = prompt([user("Add.")], [declared]);
    expect(text).toContain(
      "<｜begin▁of▁sentence｜>\n\n## Tools\nYou have access to the following tools:\n\n### add\nDescription: Addiert schön.\n\n" +
        'Parameters: {"type": "object", "properties": {"a": {"type": "number"}}}\n\nIMPORTANT: ALWAYS adhere to this exact format for tool use:\n' +
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>tool_call_name<｜tool▁sep｜>tool_call_arguments<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n\nWhere:\n",
    );
    expect(text).toMatch(/separators or spaces<｜User｜>Add\.<｜Assistant｜><\/think>$/);
  });

  it("opens no turn after a result and drops all earlier reasoning", () => {
    const text = thinking.prompt([
      user("Add."),
      {
        role: "assistant",
        content: "I add.",
        reasoning: "Easy.",
        calls: [{ id: "0", name: "add", args: { a: 2 } }],
      },
      { role: "tool", name: "add", callId: "0", content: "5" },
    ]);
    expect(text).toBe(
      `<｜begin▁of▁sentence｜><｜User｜>Add.<｜Assistant｜></think>I add.${CALLS}${END}<｜tool▁output▁begin｜>5<｜tool▁output▁end｜>`,
    );
  });
});

describe("a turn of DeepSeek V3.1", () => {
  it("contains tool calls in a section", () => {
    expect(parse(`I add.${CALLS}${END}`)).toMatchObject({
      content: "I add.",
      lead: 6,
      calls: [{ name: "add", args: { a: 2 }, raw: CALL }],
      errors: [],
      ended: true,
    });
    expect(parse(CALLS.replace(CALL, `${CALL}\n${CALL}`)).calls).toHaveLength(2);
  });

  it.each([
    ["outside of a section", CALL, "not_readable"],
    ["without the separator", CALLS.replace("<｜tool▁sep｜>", " "), "not_readable"],
    ["without a name", CALLS.replace("add", ""), "missing_name"],
    ["with broken JSON", CALLS.replace("2}", "2,}"), "not_json"],
    ["with a list as arguments", CALLS.replace('{"a": 2}', "[2]"), "bad_arguments"],
    ["that is cut", CALLS.slice(0, 60), "unterminated"],
    [
      "that is missing from the section",
      "<｜tool▁calls▁begin｜><｜tool▁calls▁end｜>",
      "not_readable",
    ],
  ])("reports a call %s to the model without control tokens", (_what, turn, kind) => {
    const { calls, errors } = parse(`${turn}${END}`);
    expect(calls).toEqual([]);
    expect(errors).toMatchObject([{ kind }]);
    for (const token of DEEPSEEK_V31_TOKENS) expect(errors[0]?.message).not.toContain(token);
  });
});

describe("after a turn of DeepSeek V3.1", () => {
  it("the model continues directly after results, and in a new turn after a message", () => {
    const results = "<｜tool▁output▁begin｜>5<｜tool▁output▁end｜>";
    expect(bridge(`${CALLS}${END}`, result("5"), result("5"))).toBe(results + results);
    expect(bridge(`Hi.${END}`, { role: "user", content: "Sure?" })).toBe(
      "<｜User｜>Sure?<｜Assistant｜></think>",
    );
  });

  it("a cut turn is closed, open reasoning first", () => {
    const goOn = { role: "user", content: "Go on." } as const;
    expect(bridge("It is", goOn)).toMatch(/^<｜end▁of▁sentence｜><｜User｜>/);
    expect(thinking.bridge("I shou", goOn)).toBe(
      `</think>${END}<｜User｜>Go on.<｜Assistant｜><think>`,
    );
  });
});
