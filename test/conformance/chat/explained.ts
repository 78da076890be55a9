/** Intended differences of our formats from the kit's expectations: one line per kind of difference. */

export interface Explained {
  /** Matches `FAMILY: VECTOR`. */
  readonly vectors: RegExp;
  /** Why ours is better. */
  readonly why: string;
}

/** Also where several renderers agree. */
export const AGREED: readonly Explained[] = [
  {
    vectors: /^qwen3: .*x_nan/,
    why: "NaN is no JSON number, and no environment could read it: a call with it is an error that is answered.",
  },
  {
    vectors: /x_empty_name/,
    why: "A call that names no tool runs nothing and is answered, where others pass it on or leave it out without a word.",
  },
  {
    vectors: /^deepseek-v3\.1: .*x_first_call_broken/,
    why: "A broken call is an error that is answered also in a turn that was cut, and hides no good one.",
  },
  {
    vectors: /^deepseek-v3\.1: v3\.1-think\/(reasoning_never_closed|call_inside_reasoning)/,
    why: "Reasoning lasts up to its closing marker, as in every family: neither text nor calls in it are part of the answer.",
  },
  {
    vectors: /^kimi: k2-thinking\/x_no_section_end/,
    why: "A complete call counts also where the end of its section is missing, as in Kimi K2.",
  },
  {
    vectors: /^llama3: .*x_eom_end/,
    why: "A turn of Llama 3 may also end in <|eom_id|>: sampling stops there, and the turn is whole.",
  },
  {
    vectors: /^gpt-oss: .*x_no_functions_prefix/,
    why: "A message to a declared tool that leaves out the namespace is a call, where others take its arguments for the answer.",
  },
  {
    vectors: /^gpt-oss: .*x_builtin_browser/,
    why: "A call of a tool that was not declared is answered as a broken call, where others take its arguments for reasoning.",
  },
  {
    vectors: /^inkling: .*truncated_call_value/,
    why: "A call that was cut is answered as a cut one, as in every family, and not as a broken one.",
  },
];

export const EXPLAINED: readonly Explained[] = [
  ...AGREED,
  {
    vectors: /^kimi: k2-(instruct|thinking)\/arg_floats/,
    why: "A call of Kimi keeps the text of its arguments, numbers included, as the newer models' renderers keep it.",
  },
  {
    vectors: /^kimi: k2-instruct\/(truncated_call_|x_second_call_broken)/,
    why: "A call that was cut is answered as a cut one, as in every family, and not as a broken one.",
  },
  {
    vectors: /^glm: .*\/hostile_args/,
    why: "The JSON of a tool keeps the order of its keys, as in every other prompt; this vector rests on the one renderer that sorts them.",
  },
  {
    vectors: /^kimi: k2\.[56]-.*\/hostile_(result|args|tool_spec)/,
    why: "Kimi K2.5 and later read tools as TypeScript, as in every other prompt; these vectors rest on the one renderer that writes JSON.",
  },
  {
    vectors: /^kimi: k2\.5-.*\/(tool_spaces|call_spaced_result)/,
    why: "A header and the text behind it stand between the same two control tokens and are encoded as one text, as every other text is.",
  },
  {
    vectors:
      /^kimi: k2-thinking\/(truncated_call_|unterminated_call_ended|x_second_call_broken|x_no_section_end)/,
    why: "What is left of a broken call is an error that the model is answered, no text of its answer, and complete calls beside it count.",
  },
  {
    vectors: /^kimi: k2-thinking\/x_arguments_list/,
    why: "A tool takes an object of arguments: a list is answered as a broken call, where others pass it on.",
  },
  {
    vectors: /^kimi: k2-thinking\/x_empty_name/,
    why: "A call that names no tool is answered as a broken call, where others leave it out without a word.",
  },
  {
    vectors: /^llama3: (stops of|.*x_eom_end)/,
    why: "A turn of Llama 3 may also end in <|eom_id|>: sampling stops there, and the turn is whole.",
  },
  {
    vectors: /^llama3: .*x_python_tag/,
    why: "The tag that a call may begin with hides no call.",
  },
  {
    vectors: /^base: qwen3(\.5)?-base\/eos/,
    why: "A base model may also end its answer with the end of the text, which is no part of the answer.",
  },
  {
    vectors:
      /^qwen3: qwen3-instruct\/(truncated_call_|unterminated_call|x_string_with_close|x_(first|second)_call_broken)/,
    why: "Calls that were cut or broken are errors and no text, and hide no good ones: ours reads them as those of the hybrid models, where more than one renderer was asked.",
  },
  {
    vectors: /^qwen3: qwen3-instruct\/double_end/,
    why: "A turn ends at its first end token, behind which nothing can be sampled.",
  },
  {
    vectors:
      /^deepseek-v[34]\.1: .*\/(truncated_(text|reasoning|call_\w+)|unterminated_\w+|x_no_outer|x_no_separator|x_empty_section)$/,
    why: "A call that was cut or cannot be read is answered in words and is no text of the answer, and an opening marker that the model did not write is none either.",
  },
  {
    vectors: /^deepseek-v[34]\.1: .*\/(reasoning_never_closed|call_inside_reasoning)/,
    why: "Reasoning lasts up to its closing marker: neither text nor calls in it are part of the answer.",
  },
  {
    vectors: /^deepseek-v[34]\.1: .*\/(x_first_call_broken|x_second_call_broken)/,
    why: "A complete call counts also when the turn was cut, and each broken one beside it is an error.",
  },
  {
    vectors: /^deepseek-v3\.1: .*\/(x_arguments_list|x_empty_name)/,
    why: "Arguments that are no object, and a call without a name, are errors: no tool could run them.",
  },
  {
    vectors: /^deepseek-v[34]\.1: .*\/x_stray_end/,
    why: "A closing marker that closes nothing is no text of the answer.",
  },
  {
    vectors: /^deepseek-v[34]\.1: .*\/double_end/,
    why: "A turn ends at its first end token: nothing behind is part of it, and sampling stops there.",
  },
  {
    vectors:
      /gpt-oss-nosystem\/(?!hostile)(.*system|unicode|.*tool|call|parallel|nudge|no_args|arg|reasoning)/,
    why: "Without its preamble gpt-oss is laid out as with it, by openai-harmony; the kit has only the cookbook's layout there, with a routing message and broken lines of its own, and reasoning kept.",
  },
  {
    vectors: /gpt-oss-nosystem\/hostile_(result|args)/,
    why: "An earlier call says that its arguments are JSON, as openai-harmony writes it; these two come from one renderer, which leaves that out.",
  },
  {
    vectors: /^inkling: .*\/arg_big_integer/,
    why: "An integer in a call keeps its digits, where a renderer that reads it into a double prints 1.23e22.",
  },
  {
    vectors: /^kimi: k2\.5-.*\/call_spaced_result/,
    why: "A result is encoded as one text with the line above it, as in a prompt; two renderers encode the line apart where the result begins with a newline.",
  },
];
