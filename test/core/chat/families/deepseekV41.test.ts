import { describe, expect, it } from "vitest";
import { deepseekV41 } from "../../../../src/core/chat/families/deepseekV41.ts";
import { ADD, formatOnBytes, OPTIONS, result, user } from "./formatOnBytes.ts";

const ADDED = [
  ...["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜System｜>", "<｜User｜>"],
  ...["<｜Assistant｜>", "<think>", "</think>", "｜DSML｜"],
];
const { prompt, parse, bridge } = formatOnBytes(deepseekV41(OPTIONS), ADDED);
const plain = formatOnBytes(deepseekV41({ ...OPTIONS, thinking: false }), ADDED);
const END = "<｜end▁of▁sentence｜>";
const EFFORT = (effort: number): string =>
  `<｜System｜>Reasoning Effort: ${effort} (range 1-100, the higher the value, the more thorough the reasoning)\n\n`;
const CALL =
  '<｜DSML｜ invoke name="add">\n<｜DSML｜ parameter name="a" string="false">2</｜DSML｜ parameter>\n</｜DSML｜ invoke>';
const CALLS = `\n\n<｜DSML｜ calls>\n${CALL}\n</｜DSML｜ calls>`;

describe("a prompt of DeepSeek V4.1", () => {
  it("states the effort as a number before the system text", () => {
    expect(prompt([{ role: "system", content: "Be brief." }, user("Hi")])).toBe(
      `<｜begin▁of▁sentence｜>${EFFORT(75)}Be brief.<｜User｜>Hi<｜Assistant｜><think>`,
    );
    const low = formatOnBytes(deepseekV41({ ...OPTIONS, effort: "low" }), ADDED);
    expect(low.prompt([user("Hi")])).toContain(EFFORT(50));
    expect(plain.prompt([user("Hi")])).toBe(
      "<｜begin▁of▁sentence｜><｜User｜>Hi<｜Assistant｜></think>",
    );
  });

  it("declares tools as JSON after the system text", () => {
    const text = plain.prompt([user("Add.")], [ADD]);
    expect(text).toContain(
      '\n\n{"name": "add", "description": "Adds.", "parameters": {"type": "object", "properties": {"a": {"type": "number"}}}}\n\nYou MUST',
    );
    expect(text).toContain('writing a "<｜DSML｜ calls>" block');
  });

  it("drops earlier reasoning only when no tools are declared", () => {
    const conversation = [
      user("Why?"),
      { role: "assistant", content: "Because.", reasoning: "I know.", calls: [] } as const,
      user("Really?"),
    ];
    expect(prompt(conversation)).toContain(`<｜Assistant｜></think>Because.${END}`);
    const kept = `<｜Assistant｜><think>I know.</think>Because.${END}`;
    expect(prompt(conversation, [ADD])).toContain(kept);
    const all = formatOnBytes(deepseekV41({ ...OPTIONS, retention: "all" }), ADDED);
    expect(all.prompt(conversation)).toContain(kept);
  });

  it("shows results in the order of the calls, in one turn with the following message", () => {
    const call = { name: "add", args: { a: 2 } };
    const text = prompt(
      [
        user("Add."),
        {
          role: "assistant",
          content: "",
          reasoning: "Easy.",
          calls: [
            { id: "x", ...call },
            { id: "y", name: "say", args: { text: "42", words: [1] } },
            { id: "z", name: "now", args: {} },
          ],
        },
        { role: "tool", name: "say", callId: "y", content: "said" },
        { role: "tool", name: "add", callId: "x", content: "5" },
        user("Say it."),
      ],
      [ADD],
    );
    expect(text).toContain(
      `<think>Easy.</think>\n\n<｜DSML｜ calls>\n${CALL}\n<｜DSML｜ invoke name="say">\n` +
        '<｜DSML｜ parameter name="text" string="true">42</｜DSML｜ parameter>\n<｜DSML｜ parameter name="words" string="false">[1]</｜DSML｜ parameter>\n' +
        `</｜DSML｜ invoke>\n<｜DSML｜ invoke name="now">\n\n</｜DSML｜ invoke>\n</｜DSML｜ calls>${END}` +
        "<｜User｜><tool_result>5</tool_result>\n\n<tool_result>said</tool_result>\n\nSay it.<｜Assistant｜><think>",
    );
  });
});

describe("a turn of DeepSeek V4.1", () => {
  it("contains tool calls whose values state whether they are strings", () => {
    const say = CALL.replace("add", "say").replace('string="false">2', 'string="true"> 2\n');
    expect(parse(`Easy.</think>I add.${CALLS.replace(CALL, CALL + say)}${END}`)).toMatchObject({
      reasoning: "Easy.",
      content: "I add.",
      calls: [
        { name: "add", args: { a: 2 }, raw: CALL },
        { name: "say", args: { a: " 2\n" } },
      ],
      errors: [],
    });
  });

  it("never lets an unclosed value swallow the next argument", () => {
    const open = '<｜DSML｜ parameter name="b" string="true">x\n<｜DSML｜ parameter name="a"';
    const turn = CALLS.replace('<｜DSML｜ parameter name="a"', open);
    const { calls, errors } = parse(`</think>${turn}${END}`);
    expect({ calls, errors }).toMatchObject({ calls: [], errors: [{ kind: "unclosed_argument" }] });
    for (const token of ADDED) expect(errors[0]?.message).not.toContain(token);
  });

  it("ends after its calls", () => {
    const { content, calls } = parse(`</think>${CALLS}\nDone.${CALLS}${END}`);
    expect({ content, calls: calls.length }).toEqual({ content: "", calls: 1 });
  });

  it.each([
    ["outside of a section", CALL, "not_readable"],
    ["without the flag of a value", CALLS.replace(' string="false"', ""), "not_readable"],
    ["with a parameter twice", CALLS.replace(/(<｜DSML｜ parameter.*\n)/, "$1$1"), "not_readable"],
    ["with a value that is no JSON", CALLS.replace(">2<", ">{<"), "not_json"],
    [
      "with a value that is too deep",
      CALLS.replace(">2<", `>${"[".repeat(300)}${"]".repeat(300)}<`),
      "too_deep",
    ],
    ["without a name", CALLS.replace('"add"', '""'), "missing_name"],
    ["that is not closed", CALLS.replace("</｜DSML｜ invoke>", ""), "unterminated"],
    ["that is none in the section", "<｜DSML｜ calls>\n</｜DSML｜ calls>", "not_readable"],
  ])("reports a call %s to the model without control tokens", (_what, turn, kind) => {
    const { calls, errors } = parse(`</think>${turn}${END}`);
    expect(calls).toEqual([]);
    expect(errors).toMatchObject([{ kind }]);
    for (const token of ADDED) expect(errors[0]?.message).not.toContain(token);
  });
});

describe("after a turn of DeepSeek V4.1", () => {
  it("results are in the user turn, followed by the message", () => {
    const message = { role: "user", content: "Say it." } as const;
    expect(bridge(`</think>${CALLS}${END}`, result("5"), result("6"), message)).toBe(
      "<｜User｜><tool_result>5</tool_result>\n\n<tool_result>6</tool_result>\n\nSay it.<｜Assistant｜><think>",
    );
  });

  it("a cut turn is closed, open reasoning first", () => {
    const goOn = { role: "user", content: "Go on." } as const;
    expect(bridge("</think>It is", goOn)).toBe(`${END}<｜User｜>Go on.<｜Assistant｜><think>`);
    expect(bridge("I shou", goOn)).toMatch(/^<\/think><｜end▁of▁sentence｜><｜User｜>/);
  });
});
