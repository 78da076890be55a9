import { describe, expect, it } from "vitest";
import { insertSource } from "../../../../../src/core/config/editing/edits/insertSource.ts";
import { applyEdits } from "../../../../../src/core/config/editing/text/textEdit.ts";

const ENTRY = { path: "more.jsonl" };

function withSource(text: string, path = "a.yaml"): string | null {
  const edits = insertSource(text, ENTRY, { path });
  return edits === null ? null : applyEdits(text, edits);
}

describe("a data source is inserted", () => {
  it("after the existing ones, in their style, with comments kept", () => {
    const block = "method: sft\ndata:\n  - path: a.jsonl # ours\n    tags: []\n  # last\nseed: 1\n";
    expect(withSource(block)).toBe(
      "method: sft\ndata:\n  - path: a.jsonl # ours\n    tags: []\n  - { path: more.jsonl }\n  # last\nseed: 1\n",
    );
    expect(withSource("method: sft\ndata: [{ path: a.jsonl }]\n")).toBe(
      "method: sft\ndata: [{ path: a.jsonl }, { path: more.jsonl }]\n",
    );
    expect(withSource('{"method": "sft", "data": [{"path": "a.jsonl"}]}', "a.json")).toBe(
      '{"method": "sft", "data": [{"path": "a.jsonl"}, { "path": "more.jsonl" }]}',
    );
  });

  it("into a text without any, which then uses supervised fine-tuning", () => {
    expect(withSource("model_name: local/tiny-tool\n")).toBe(
      "model_name: local/tiny-tool\ndata: [{ path: more.jsonl }]\nmethod: sft\n",
    );
    expect(withSource("method: rl # so far\ndata: []\n")).toBe(
      "method: sft # so far\ndata: [{ path: more.jsonl }]\n",
    );
  });

  it("nowhere in a text with stages, since the stage is ambiguous", () => {
    expect(withSource("data: []\nstages:\n  one: { method: sft }\n")).toBeNull();
  });

  it("nowhere in an invalid text, or when the list has another form", () => {
    expect(withSource("data: [")).toBeNull();
    expect(withSource("data: demos.jsonl\n")).toBeNull();
    expect(withSource("a: &x [{ path: a.jsonl }]\ndata: *x\n")).toBeNull();
  });
});
