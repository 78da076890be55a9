import { beforeEach, expect, it } from "vitest";
import type { TokenizerOrigin } from "../../../src/core/chat/tokenizer.ts";
import { noteTokenizer } from "../../../src/trainer/models/tokenizerNote.ts";
import { aNotedRun } from "../notedRun.ts";

const PUBLISHED = "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4";
const ORIGIN: TokenizerOrigin = {
  name: "Qwen/Qwen3-8B",
  source: "hub",
  revision: "1234567890abcdef1234567890abcdef12345678",
  tokenizerSha256: PUBLISHED,
  templateSha256: "bb".repeat(32),
};

let run = aNotedRun();
beforeEach(() => {
  run = aNotedRun();
});

function note(
  attempt: number,
  changes: Partial<TokenizerOrigin> = {},
  model_name = "org/model",
): Promise<void> {
  const context = { config: { model_name }, ...run.partsOf(attempt) };
  return noteTokenizer({ ...ORIGIN, ...changes }, context, 0);
}

it("a run records its tokenizer with the hub's commit and the digests", async () => {
  await note(1);
  expect(await run.events()).toMatchObject([
    {
      kind: "tokenizer-loaded",
      data: {
        name: "Qwen/Qwen3-8B",
        source: "hub",
        revision: ORIGIN.revision,
        tokenizer_sha256: ORIGIN.tokenizerSha256,
        template_sha256: ORIGIN.templateSha256,
      },
    },
  ]);
  expect(run.warnings).toEqual([]);
});

it("a resumed run with the same files from elsewhere has no warning", async () => {
  await note(1);
  await note(2, { source: "cache" });
  await note(3, { source: "folder", revision: null });
  expect(run.warnings).toEqual([]);
});

it.each([
  ["tokenizer", { tokenizerSha256: "cc".repeat(32) }],
  ["chat template", { templateSha256: null }],
])("a resumed run with another %s warns once", async (what, changes) => {
  await note(1);
  await note(2, { ...changes, revision: "f".repeat(40) });
  await note(3, { ...changes, revision: "f".repeat(40) });
  expect(run.warnings).toHaveLength(1);
  expect(run.warnings[0]).toMatch(new RegExp(`^The ${what} .*1234567890ab.*ffffffffffff`));
});

it("a file that differs from the model's published one is reported once, but accepted", async () => {
  await note(1, {}, "Qwen/Qwen3-8B");
  expect(run.warnings).toEqual([]);
  const other = { tokenizerSha256: "cc".repeat(32), name: "./folder", source: "folder" };
  run = aNotedRun();
  await note(1, other, "Qwen/Qwen3-8B:peft:32768");
  await note(2, other, "Qwen/Qwen3-8B:peft:32768");
  expect(run.warnings).toHaveLength(1);
  expect(run.warnings[0]).toMatch(
    /\.\/folder \(folder\) differs from the published file of Qwen.*not aeb13307/,
  );
});
