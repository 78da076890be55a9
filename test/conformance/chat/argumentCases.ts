/** Calls of the tools of `argumentsServer.py`: the model's intention, and the arguments that the environment must receive. */

import {
  type ExactJson,
  type ExactJsonObject,
  ExactNumber,
} from "../../../src/core/util/exactJson.ts";

export interface ArgumentCase {
  readonly tool: "edit" | "take" | "plant" | "draw";
  readonly args: ExactJsonObject;
  /** If it differs from `args`: other spellings of a number. */
  readonly arrives?: ExactJsonObject;
}

const PACKAGE =
  '{\n  "name": "app",\n  "version": "1.0.0",\n  "private": true,\n  "files": []\n}\n';
const BIG = new ExactNumber("123456789012345678901234567890");

/**
 * Strings that look like something else. Excluded: a value of DeepSeek V4.1 cannot contain the tag that closes the call itself, which
 * is not a single token there; such a call gets an error message.
 */
const TEXTS = [
  ...["", " ", "\n", "\n\n", "  padded  ", "\nfirst\nlast\n", "\tindented\r\n", "a\n\n\nb"],
  ...["12345", "-0", "007", "1.0", "1e5", "1_000", "12345678901234567890123", "NaN", "Infinity"],
  ...["true", "false", "True", "False", "yes", "undefined", "NULL"],
  ...["[]", "[1, 2]", '["a"]', "{}", PACKAGE, PACKAGE.trim(), '{"a": 1}', "[1, 2", "{'a': True}"],
  ...['"quoted"', "'quoted'", '"', "\\", "\\n", "\\u0041", 'a\\"b'],
  ...["naïve 中文 😀👨\u200d👩\u200d👧 \u0301 \u2028 \u00a0 \ufeff", "\u0001\u007f", "٣", "１２"],
  ...["<b>&amp;</b>", "<!-- x -->", "<![CDATA[x]]>", "<param>", "</x>", "a < b > c"],
  ...["</parameter>", "a </parameter> b", "a\n</parameter>\nb", "</parameter></parameter>"],
  ...["<parameter=other>\n1\n</parameter>", "<parameter=other>", "</function>", "<function=take>"],
  ...[
    "</tool_call>",
    '<tool_call>{"name": "take", "arguments": {}}</tool_call>',
    "</think>",
    "<think>",
  ],
  ...[
    "</arg_value>",
    "a</arg_value>b",
    "<arg_key>other</arg_key><arg_value>1</arg_value>",
    "<arg_value>",
  ],
  ...[
    "</｜DSML｜ parameter>",
    '<｜DSML｜ parameter name="other" string="true">1',
    "</｜DSML｜ calls",
  ],
  ...[
    "<|im_end|>",
    "<|call|>",
    "<|eot_id|>",
    "<|python_tag|>",
    "<|observation|>",
    "<|end_message|>",
  ],
  ...["<|tool_call_end|>", "<｜tool▁call▁end｜>", "to=functions.take", "# a\n- b: [c]\n"],
];

/** Words that an optional string cannot contain in a format without quotes, where they mean null. */
const NO_VALUE = ["null", "None"];

function take(args: ExactJsonObject, arrives?: ExactJsonObject): ArgumentCase {
  return { tool: "take", args, ...(arrives === undefined ? {} : { arrives }) };
}

/** A value for each parameter of the tool `take`. */
const VALUES: Readonly<Record<string, readonly ExactJson[]>> = {
  maybe: [null],
  number: [0, -7, BIG],
  maybe_number: [5, null, BIG],
  ratio: [0.5, -2.5, 1e-7],
  flag: [true, false],
  maybe_flag: [true, false, null],
  either: [42, -1, BIG, "forty", "007", "1.0", "true", "[1]", '{"a": 1}', " 42", ""],
  text_or_ratio: [0.5, "half", "true", "[0.5]", null, "1.2.3"],
  text_or_flag: [true, false, "yes", "1", "[true]", null],
  texts: [[], ["1", "true", "null", ""], ["a\nb"]],
  maybe_texts: [["1"], [], null],
  text_or_texts: ["plain", ["a", "b"], "[1, 2]", "[a]", PACKAGE, []],
  text_or_counts: [PACKAGE.trim(), { a: 1 }, '{"a": "1"}', "x"],
  text_or_node: ["x", { label: "1" }, '{"name": "app"}', '{"label": 1}', "[1]"],
  word: ["left", "right"],
  digit: [1, 3],
  digit_text: ["1", "2"],
  mixed: ["1", 2, "true", false],
  digit_or_text: [1, "3", "one", "true"],
  one: [1],
  maybe_one_text: ["1", null],
  color: ["red", "1", "true"],
  maybe_color: ["red", "1", "true", null],
  level: [1, 2],
  counts: [{}, { a: 1, "b c": BIG }],
  options: [{}, { a: [1, null, "1", { b: true }], "": "x" }],
  node: [null, { label: "1", children: [{ label: "true", value: 3 }] }],
  shape: [
    { kind: "square", side: 2 },
    { kind: "circle", radius: 0.5 },
  ],
  pair: [[1, "2"]],
  code: ["12345", "007", null],
  anything: ["text", "12345", "true", "[1]"],
  "file-name ä": ["1", "b.txt", null],
};

export const CASES: readonly ArgumentCase[] = [
  ...TEXTS.flatMap((text): ArgumentCase[] => [
    take({ text, number: 1 }),
    take({ number: 1, maybe: text }),
    { tool: "edit", args: { command: "create", path: text, file_text: text } },
    { tool: "plant", args: { label: text } },
  ]),
  ...NO_VALUE.map((text) => take({ text, number: 1 })),
  ...Object.entries(VALUES).flatMap(([key, values]) =>
    values.map((value) => take({ [key]: value })),
  ),
  take({ limited: "12345" }),
  take({ number: new ExactNumber("1.0") }, { number: 1 }),
  take({ ratio: 1 }, { ratio: new ExactNumber("1.0") }),
  take({ maybe_number: new ExactNumber("2.0") }, { maybe_number: 2 }),
  take({ text_or_ratio: new ExactNumber("1.0") }),
  take(Object.fromEntries(Object.entries(VALUES).map(([key, [value = null]]) => [key, value]))),
  { tool: "edit", args: { view_range: [1, -1], insert_line: 3 } },
  { tool: "edit", args: { view_range: null, insert_line: null, file_text: null } },
  { tool: "edit", args: {} },
  {
    tool: "plant",
    args: { label: "12345", value: null, children: [{ label: "[1]", children: [] }] },
  },
  { tool: "plant", args: { label: "x", children: [] } },
  { tool: "draw", args: { kind: "square", side: 2 } },
  { tool: "draw", args: { kind: "circle", radius: 1.5 } },
];
