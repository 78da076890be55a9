import { expect, it } from "vitest";
import { foundToken } from "../../../src/core/search/foundToken.ts";
import { rolloutTexts } from "../../../src/core/search/rolloutTexts.ts";
import type { SearchRole } from "../../../src/shared/search.ts";
import { aRecord, aRecordedTurn } from "../runFolder/builders.ts";

const texts = rolloutTexts(
  aRecord({
    turns: [
      aRecordedTurn({
        reasoning: "First I run the naïve tests ✓.\n\nThen I edit\\nothing.",
        content: "Let me run them.",
        calls: [
          { name: "run", args: '{"command":"print(\\"a\\")\\nrun"}', raw: "" },
          { name: "run", args: '{"command":"pytest -q"}', raw: "" },
        ],
        results: [
          { name: "run", text: "run: 3 passed", isError: false, reward: 0, finished: false },
        ],
      }),
    ],
  }),
).filter((text) => text.turn === 0);

/** As from a byte-level tokenizer: non-ASCII letters take two tokens each. */
const tokens = [
  ...["<think>", "\nFirst", " I", " run", " the", " na", "\ufffd", "\ufffd", "ve", " tests", " "],
  ...["\ufffd", "\ufffd", ".", "\n\n", "Then", " I", " edit", "\\", "nothing", ".", "\n</think>\n"],
  ...["Let", " me", " run", " them", ".", "\n<tool_call>", "\n<function=", "run", ">\n"],
  ...["<parameter=", "command", ">\n", "print", '("', "a", '")', "\n", "run", "\n</parameter>"],
  ...["</function>", "</tool_call>", "<tool_call>", "<function=", "run", ">\n", "<parameter="],
  ...["command", ">", "py", "test", " -q", "</parameter>", "</tool_call>", "<|im_end|>", "user\n"],
  ...["<tool_response>", "run", ":", " 3", " passed", "</tool_response>"],
];

function tokenAt(role: SearchRole, before: string, match: string, after = ""): string | null {
  const snippet = { role, turn: 0, before, match, after };
  const index = foundToken({ tokens, texts }, snippet);
  return index === null ? null : tokens.slice(index, index + 2).join("|");
}

it.each<readonly [string, SearchRole, string, string, string, string]>([
  ["a word of the thinking", "thinking", "First I ", "run", " the", " run| the"],
  ["a place behind split letters", "thinking", "…sts ✓.\n\n", "Then", " I", "Then| I"],
  ["split letters", "thinking", "the ", "naïve", " tests", " na|\ufffd"],
  ["a word of the answer", "answer", "Let me ", "run", " them.", " run| them"],
  ["the name of a call", "call", "", "run", ' {"command":"pri…', "run|>\n"],
  ["the name of a later call", "call", "", "run", ' {"command":"pytest -q"}', "run|>\n"],
  ["escaped arguments", "call", '{"command":"', 'print(\\"a', '\\")', 'print|("'],
  ["what begins within a token", "call", '{"command":"py', "test", ' -q"}', "test| -q"],
  ["a result", "result", "", "run", ": 3 passed", "run|:"],
])("the token of %s is found", (_, role, before, match, after, expected) => {
  expect(tokenAt(role, before, match, after)).toBe(expected);
});

it("calls of the same tool are distinguished", () => {
  const first = { role: "call", turn: 0, before: "", match: "run" } as const;
  const earlier = foundToken({ tokens, texts }, { ...first, after: ' {"command":"print…' });
  const later = foundToken({ tokens, texts }, { ...first, after: ' {"command":"pytest -q"}' });
  const name = tokens.indexOf("\n<function=") + 1;
  expect([earlier, later]).toEqual([name, tokens.indexOf("<function=", name) + 1]);
});

it("a position in another turn is not among the tokens", () => {
  expect(tokenAt("error", "", "timed out")).toBeNull();
});
