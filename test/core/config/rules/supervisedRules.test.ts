import { describe, expect, it } from "vitest";
import { messagesIn, parse, textWith } from "../configText.ts";

const SUPERVISED = `model_name: Qwen/Qwen3-8B
method: sft
batch_size: 4
learning_rate: 0.0004
`;

const DATA = "data: [{path: demos.jsonl}]\n";

describe("supervised fine-tuning", () => {
  it("requires no environment, unlike reinforcement learning", () => {
    expect(messagesIn(`${SUPERVISED}${DATA}max_steps: 5\n`)).toEqual([]);
    expect(parse(`${SUPERVISED}${DATA}environments: {}\nmax_steps: 5\n`).ok).toBe(true);
    const rl = `${SUPERVISED}max_steps: 5\n`.replace("sft", "rl").replace("0.0004", "0.00002");
    expect(messagesIn(rl)).toEqual([expect.stringMatching(/TRL111 `environments` is missing/)]);
  });

  it("requires data, which reinforcement learning does not use", () => {
    for (const nothing of ["", "data: []\n"]) {
      expect(messagesIn(`${SUPERVISED}${nothing}max_steps: 5\n`)).toEqual([
        expect.stringMatching(/error: TRL226 `method: sft` needs demonstrations/),
      ]);
    }
    expect(messagesIn(textWith(DATA))).toEqual([
      expect.stringMatching(/warning: TRL226 `data` is read only with `method: sft`/),
    ]);
  });

  it.each([
    ["{}", /either the `path` of a JSONL file or the folder of a `run`/],
    ["{path: a.jsonl, run: runs/one}", /either the `path`/],
    ["{run: runs/one, where: reward is high}", /comparisons with numbers/],
    ["{run: runs/one, where: rewrd > 0.9}", /no field rewrd\. Did you mean reward\?/],
    ["{path: a.jsonl, where: reward >= 1}", /`where` chooses rollouts of a `run`/],
    ["{path: a.jsonl, tags: [good]}", /`tags` chooses rollouts of a `run`/],
  ])("reports what is wrong with the source %s", (source, message) => {
    expect(messagesIn(`${SUPERVISED}data: [${source}]\nmax_steps: 5\n`)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  it.each([
    ["{path: a.jsonl}", /`data`|list/],
    ["[{path: a.jsonl, weight: 3}]", /weight/],
  ])("does not report invalid data as missing: %s", (data, message) => {
    expect(messagesIn(`${SUPERVISED}data: ${data}\nmax_steps: 5\n`)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  it("reports settings that it ignores", () => {
    const text = `${SUPERVISED}${DATA}max_steps: 5\nkl_coef: 0.1\ncredit: reward_to_go\n`;
    expect(messagesIn(text)).toEqual([
      expect.stringMatching(/`kl_coef` has no effect with `method: sft`/),
      expect.stringMatching(/`credit` has no effect with `method: sft`/),
    ]);
  });

  it("has its own learning rates", () => {
    const withRate = (rate: string) =>
      messagesIn(`${SUPERVISED}${DATA}max_steps: 5\n`.replace("0.0004", rate));
    expect(withRate("0.01")).toEqual([expect.stringMatching(/unusually high for fine-tuning/)]);
    expect(withRate("0.00000001")).toEqual([expect.stringMatching(/1e-4 to 5e-4 is usual/)]);
  });
});
