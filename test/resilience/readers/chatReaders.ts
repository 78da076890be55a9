/** Parsers of model output, and of texts that are inserted into prompts. */

import { createControlTokens } from "../../../src/core/chat/controlTokens.ts";
import { createNativeRenderer } from "../../../src/core/chat/nativeRenderer.ts";
import type { Renderer, ToolDeclaration } from "../../../src/core/chat/renderer.ts";
import { NATIVE_FORMATS } from "../../../src/core/chat/setup/nativeFormats.ts";
import { qwen3 } from "../../../src/core/chat/template/templateFamily.ts";
import { createTemplateRenderer } from "../../../src/core/chat/template/templateRenderer.ts";
import type { Tokenizer } from "../../../src/core/chat/tokenizer.ts";
import type { FormatName } from "../../../src/core/models/formats.ts";
import { THINKING_TEMPLATE } from "../../core/chat/tinyModel.ts";
import type { Reader } from "./reader.ts";
import { unitTokenizer } from "./unitTokenizer.ts";

/** A chat format for turns. */
interface Family {
  readonly name: string;
  readonly format: FormatName | "template";
  /** Added tokens of the tokenizer. */
  readonly tokens: readonly string[];
  /** Further strings that the format detects in text. */
  readonly literals: readonly string[];
  /** Beginnings of calls and messages, with their ends. */
  readonly frames: NonNullable<Reader["frames"]>;
  /** Parts that may be repeated many times. */
  readonly repeated: readonly string[];
}

const THINKING = ["<think>", "</think>"];
const CALL = ["<tool_call>", "</tool_call>"];
const CHATML = ["<|im_start|>", "<|im_end|>"];
const GLM = {
  tags: ["<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"],
  frames: [
    ["</think><tool_call>f<arg_key>k", "\u0001</tool_call>"],
    ["</think><tool_call>f<arg_key>k</arg_key>", "\u0001</tool_call>"],
    ["</think><tool_call>f", "<arg_key></tool_call>"],
  ],
  repeated: [
    "<arg_key>k</arg_key><arg_value>v</arg_value>",
    "<tool_call>f<arg_key>k</arg_key><arg_value>v</arg_value></tool_call>",
  ],
} as const;
const XML = {
  frames: [
    ["</think><tool_call><function=f>", "</function></tool_call>"],
    ["</think><tool_call><function=f><parameter=n>", "</parameter></function></tool_call>"],
  ],
  repeated: ["<parameter=k>v</parameter>", "<tool_call><function=f></function></tool_call>"],
} as const;
const JSON_CALL = '{"name": "f", "arguments": {"n": 1.5, "k": "';
const JSON_CALLS = {
  frames: [[`<tool_call>${JSON_CALL}`, '"}}</tool_call>']],
  repeated: ["<tool_call>{}</tool_call>", "<tool_call><tool_call>", "<think></think>"],
} as const;
const DSML = "｜DSML｜";
const DEEPSEEK = [
  "<｜begin▁of▁sentence｜>",
  "<｜end▁of▁sentence｜>",
  "<｜User｜>",
  "<｜Assistant｜>",
];
const DEEPSEEK_CALLS = [
  ...["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>"],
  ...["<｜tool▁call▁end｜>", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"],
];
const HARMONY = [
  ...["<|start|>", "<|channel|>", "<|constrain|>", "<|message|>"],
  ...["<|end|>", "<|return|>", "<|call|>"],
];
const INKLING = [
  ...["<|message_system|>", "<|message_user|>", "<|message_model|>", "<|message_tool|>"],
  ...["<|content_text|>", "<|content_thinking|>", "<|content_xml|>", "<|end_message|>"],
  ...["<|content_invoke_tool_json|>", "<|content_invoke_tool_text|>"],
  "<|content_model_end_sampling|>",
];
const KIMI = [
  ...["<|im_user|>", "<|im_system|>", "<|im_assistant|>", "<|im_middle|>", "<|im_end|>"],
  ...["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>"],
  ...["<|tool_call_end|>", "<|tool_call_argument_begin|>"],
];
const GLM_TOKENS = [
  ...["[gMASK]", "<sop>", "<|system|>", "<|user|>"],
  ...["<|assistant|>", "<|observation|>", "<|endoftext|>"],
];

const FAMILIES: readonly Family[] = [
  {
    name: "Hermes calls, markers as tokens",
    format: "template",
    literals: [],
    tokens: [...CHATML, ...THINKING, ...CALL],
    ...JSON_CALLS,
  },
  {
    name: "Hermes calls, markers as text",
    format: "template",
    tokens: CHATML,
    literals: [...THINKING, ...CALL],
    ...JSON_CALLS,
  },
  {
    name: "Qwen 3.5",
    format: "qwen3.5",
    literals: ["<function=", "<parameter="],
    tokens: [...CHATML, ...THINKING, ...CALL],
    ...XML,
  },
  {
    name: "Qwen 3.5, markers as text",
    format: "qwen3.5",
    tokens: CHATML,
    literals: [...THINKING, ...CALL],
    ...XML,
  },
  {
    name: "GLM",
    format: "glm-5.3",
    literals: GLM.tags,
    tokens: [...GLM_TOKENS, ...THINKING, ...CALL],
    frames: GLM.frames,
    repeated: GLM.repeated,
  },
  {
    name: "GLM, markers as text",
    format: "glm-5.3",
    tokens: GLM_TOKENS,
    literals: [...THINKING, ...CALL],
    frames: GLM.frames,
    repeated: GLM.repeated,
  },
  {
    name: "Llama 3",
    format: "llama3",
    literals: ["<|python_tag|>"],
    tokens: ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
    frames: [['{"name": "f", "parameters": {"n": 1.5, "k": "', '"}}']],
    repeated: ["{}"],
  },
  {
    name: "Kimi",
    format: "kimi-k2.6",
    literals: [],
    tokens: [...KIMI, ...THINKING],
    frames: [
      [
        "</think><|tool_calls_section_begin|><|tool_call_begin|>functions.f:0",
        "<|tool_call_argument_begin|>{}<|tool_call_end|>",
      ],
    ],
    repeated: ["<|tool_call_begin|>f:0<|tool_call_argument_begin|>{}<|tool_call_end|>"],
  },
  {
    name: "DeepSeek V3.1",
    format: "deepseek-v3.1",
    literals: THINKING,
    tokens: [...DEEPSEEK, ...DEEPSEEK_CALLS],
    frames: [
      [
        "</think><｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f",
        "<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
      ],
    ],
    repeated: ["<｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜>"],
  },
  {
    name: "DeepSeek V4.1",
    format: "deepseek-v4.1",
    literals: [`<${DSML}`, `</${DSML} calls>`],
    tokens: [...DEEPSEEK, ...THINKING, "<｜System｜>", DSML],
    frames: [
      [`</think><${DSML} calls>`, `</${DSML} calls>`],
      [`</think><${DSML} calls><${DSML} invoke name="f">`, `</${DSML} invoke>`],
    ],
    repeated: [
      `<${DSML} parameter name="k" string="true">v</${DSML} parameter>`,
      `<${DSML} invoke name="f"></${DSML} invoke>`,
    ],
  },
  {
    name: "gpt-oss",
    format: "gpt-oss",
    literals: [],
    tokens: HARMONY,
    frames: [
      ["<|channel|>analysis", "<|end|>"],
      ["<|channel|>commentary to=functions.f", "<|message|>{}<|call|>"],
    ],
    repeated: [
      "<|channel|>final<|message|>a<|end|>",
      "<|channel|>x to=functions.f<|message|>a<|end|>",
    ],
  },
  {
    name: "Inkling",
    format: "inkling",
    literals: [],
    tokens: INKLING,
    frames: [["<|message_model|>", "<|end_message|>"]],
    repeated: [
      "<|message_model|><|content_text|>a<|end_message|>",
      "<|content_invoke_tool_json|>a<|end_message|>",
    ],
  },
  {
    name: "base models",
    format: "base",
    literals: ["\n\nUser:"],
    tokens: ["<|endoftext|>"],
    frames: [],
    repeated: [],
  },
];

const TOOL: ToolDeclaration = {
  type: "function",
  function: {
    name: "f",
    description: "F.",
    parameters: { type: "object", properties: { k: { type: "string" }, n: { type: "number" } } },
  },
};

const OPTIONS = { thinking: true, effort: null, retention: "all", date: "2026-01-01" } as const;
const QUESTION = { role: "user", content: "q" } as const;

function rendererOf({ format, tokens }: Family): readonly [Renderer, Tokenizer] {
  const tokenizer = unitTokenizer(tokens);
  if (format === "template") {
    const template = { source: THINKING_TEMPLATE, bosToken: "", eosToken: "<|im_end|>" };
    const model = { tokenizer, template };
    return [createTemplateRenderer({ model, family: qwen3, thinking: true }), tokenizer];
  }
  const create = NATIVE_FORMATS[format];
  if (create === undefined) throw new Error(`no format ${format}`);
  return [createNativeRenderer(create(OPTIONS), tokenizer), tokenizer];
}

/** The families whose prompts are written differently; all others share a parser with one of them. */
const PROMPTED: ReadonlySet<string> = new Set(["Hermes calls, markers as tokens", "Qwen 3.5"]);

export function chatReaders(): readonly Reader[] {
  return FAMILIES.flatMap((family): readonly Reader[] => {
    const [renderer, tokenizer] = rendererOf(family);
    const controls = createControlTokens(tokenizer);
    const { name, tokens, literals, repeated, frames } = family;
    const texts = [...tokens, ...literals];
    const cut = texts.map((text) => text.slice(0, -1));
    const turns: Reader = {
      name: `a sampled turn: ${name}`,
      atoms: [...texts, ...literals.map((text) => text.slice(0, -1)), ...repeated],
      frames: [["", ""], ...frames],
      prepare: (text) => {
        const ids = controls.encode(text);
        return () => renderer.parse(ids, [TOOL]);
      },
    };
    if (!PROMPTED.has(name)) return [turns];
    return [
      turns,
      {
        name: `texts of a prompt: ${name}`,
        atoms: [...texts, ...cut],
        prepare: (text) => {
          const tool = { ...TOOL, function: { ...TOOL.function, description: text } };
          const system = { role: "system", content: text } as const;
          const result = { role: "tool", name: "f", callId: "c", content: text } as const;
          return () => renderer.renderInitial([system, QUESTION, result], [tool]);
        },
      },
      {
        name: `a tool's result: ${name}`,
        atoms: [...texts, ...cut, "zqturn", "zqturnqz", "zqturn0qz", "zq0contentqz"],
        prepare: (text) => () =>
          renderer.bridge(
            [0x61],
            [
              { role: "tool", name: "f", callId: "c", content: text },
              { role: "user", content: text },
            ],
          ),
      },
    ];
  });
}
