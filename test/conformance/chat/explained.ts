/** Where our formats differ on purpose from what the kit holds to be right: a line for each kind of difference. */

export interface Explained {
  /** Matches `FAMILY: VECTOR`. */
  readonly vectors: RegExp;
  /** Why ours is better. */
  readonly why: string;
}

export const EXPLAINED: readonly Explained[] = [
  {
    vectors: /arg_floats/,
    why: "A number in a call keeps its text (-2.50), where a renderer that reads it into a double prints -2.5.",
  },
  {
    vectors: /x_stray_close/,
    why: "A closing marker that closes nothing is no text of the answer.",
  },
  {
    vectors: /^glm: .*\/hostile_args/,
    why: "The JSON of a tool keeps the order of its keys, as in every other prompt; this vector rests on the one renderer that sorts them.",
  },
  {
    vectors: /x_nested_call/,
    why: "A call inside a call is an error, where others read parts of both as one.",
  },
  {
    vectors: /^llama3: (stops of|.*x_eom_end)/,
    why: "A turn of Llama 3 may also end in <|eom_id|>: sampling stops there, and the turn is whole.",
  },
  {
    vectors: /^base: qwen3(\.5)?-base\/eos/,
    why: "A base model may also end its answer with the end of the text, which is no part of the answer.",
  },
];
