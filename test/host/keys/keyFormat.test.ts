import { expect, it } from "vitest";
import { judgeFormat } from "../../../src/host/keys/keyFormat.ts";

it("trims pasted text", () => {
  expect(judgeFormat("tinker", "  tml-abc\n", null)).toEqual({
    kind: "fits",
    value: "tml-abc",
    hint: null,
  });
});

it.each([
  ["tinker", "", "empty"],
  ["tinker", "   ", "empty"],
  ["tinker", "tml-a\ntml-b", "line-break"],
  ["env:PRIVATE", "one\r\ntwo", "line-break"],
  ["tinker", "tml-a b", "characters"],
  ["openai", "sk-“quoted”", "characters"],
  ["tinker", '"tml-abc"', "quoted"],
  ["tinker", "TINKER_API_KEY=tml-abc", "assignment"],
  ["tinker", "export TINKER_API_KEY = tml-abc", "assignment"],
  ["env:A.B", "A.B=1", "assignment"],
  ["wandb", "https://wandb.ai/authorize", "address"],
  ["tinker", "sk-abc", "not-tinker"],
] as const)("rejects for %s the text %j: %s", (id, typed, fault) => {
  expect(judgeFormat(id, typed, null)).toEqual({ kind: "refused", fault });
});

it.each([
  ["openreward", "abc", { kind: "beginning", expected: "or_" }],
  ["openai", "sk-ant-abc", { kind: "belongs-elsewhere", service: "anthropic" }],
  ["openreward", "tml-abc", { kind: "belongs-elsewhere", service: "tinker" }],
  ["wandb", "local-short", { kind: "short", expectedLength: 40 }],
] as const)("only warns for %s about %j", (id, typed, hint) => {
  expect(judgeFormat(id, typed, null)).toEqual({ kind: "fits", value: typed, hint });
});

it.each([
  ["tinker", "eyJhbGciOi.eyJzdWIi.sig"],
  ["openreward", "or_abc"],
  ["wandb", `wandb_v1_${"a".repeat(40)}`],
  ["wandb", `local-${"0".repeat(40)}`],
  ["wandb", "eyJhbGciOi.eyJzdWIi.sig"],
  ["anthropic", "sk-ant-abc"],
  ["env:ANYTHING", "a sentence, even with 'quotes'"],
] as const)("accepts for %s %j unchanged", (id, typed) => {
  expect(judgeFormat(id, typed, null)).toEqual({ kind: "fits", value: typed, hint: null });
});

it("checks no format for a key of another server", () => {
  expect(judgeFormat("tinker", "anything", "models.example.org")).toMatchObject({
    kind: "fits",
    hint: null,
  });
});
