import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { insertEnvironment } from "../../../../../src/core/config/editing/edits/insertEnvironment.ts";
import { setValue } from "../../../../../src/core/config/editing/edits/setValue.ts";
import { applyEdits } from "../../../../../src/core/config/editing/text/textEdit.ts";
import { isJsonObject, type Json } from "../../../../../src/core/json.ts";

const HOSTED = readFileSync("examples/hosted/tinker-config.yaml", "utf8");

function set(text: string, path: string, value: Json, file = "run.yaml"): string | null {
  const edits = setValue(text, path.split("."), value, { path: file });
  return edits === null ? null : applyEdits(text, edits);
}

function at(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    values,
  );
}

describe("setting a value", () => {
  it.each([
    ["a: 1 # one\nb: 2\n", "a", 5, "a: 5 # one\nb: 2\n"],
    ["a:   # one\nb: 2\n", "a", 5, "a: 5   # one\nb: 2\n"],
    ["a:\n  x: 1\n  w: 2\nb: 2\n", "a", null, "a: null\nb: 2\n"],
    ["a: 1 # one\n\n# end\n", "b", "x", "a: 1 # one\nb: x\n\n# end\n"],
    ["a:\n  x: 1 # one\n  # more\nb: 2\n", "a.w", 2, "a:\n  x: 1 # one\n  w: 2\n  # more\nb: 2\n"],
    ["a:\n    x: 1\n", "b.w", 2, "a:\n    x: 1\nb:\n    w: 2\n"],
    ["a: {x: 1}\n", "a.w", true, "a: {x: 1, w: true}\n"],
    ["a: {}\n", "a.w", "yes", 'a: { w: "yes" }\n'],
    ["a: null # c\n", "a.w", 1, "a: { w: 1 } # c\n"],
    ["a: # c\n", "a.w.z", 1, "a: # c\n  w:\n    z: 1\n"],
    ["thinking: true\n", "thinking.effort", "low", "thinking: { enabled: true, effort: low }\n"],
    ["a: |\n  text\n\nb: 1\n", "a", "x", "a: x\n\nb: 1\n"],
    ["a: 1\r\nb: 2\r\n", "c", 3, "a: 1\r\nb: 2\r\nc: 3\r\n"],
    ["# only a comment", "a.b", 1, "# only a comment\na:\n  b: 1\n"],
    ["a: [1, 2]\n", "a.1", 3, "a: [1, 3]\n"],
    ["a: 1", "rate", 1e-5, "a: 1\nrate: 1e-5"],
    ["a: 1", "path", "tinker://s:train:0/weights/c", "a: 1\npath: tinker://s:train:0/weights/c"],
    ["a: 1", "text", "x: # y", 'a: 1\ntext: "x: # y"'],
  ])("in %j: %s", (text, path, value, expected) => {
    expect(set(text, path, value)).toBe(expected);
  });

  it.each([
    ['{"a": 1}', "b", "x", '{"a": 1, "b": "x"}'],
    ['{\n  "a": 1\n}\n', "b.c", 2, '{\n  "a": 1,\n  "b": { "c": 2 }\n}\n'],
    ["", "a", 1, '{ "a": 1 }\n'],
  ])("in JSON %j: %s", (text, path, value, expected) => {
    expect(set(text, path, value, "run.json")).toBe(expected);
  });

  it("is refused for an invalid text, or when another place shares the value", () => {
    expect(set("a: [1\nb: 2\n", "b", 3)).toBeNull();
    expect(set("a: &x {y: 1}\nb: *x\n", "b.w", 3)).toBeNull();
  });

  it("over a merged value leaves the source of the merge unchanged", () => {
    const text = "a: &x\n  w: 1\nb:\n  <<: *x\n  z: 1\n";
    expect(set(text, "b.w", 3)).toBe(`${text}  w: 3\n`);
  });

  it("changes only that value, keeps every comment, and is idempotent", () => {
    const keys = ["seed", "loss_fn_config", "x/y:z", "thinking", "environments", "splits", "train"];
    const value = fc.oneof(
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.string({ unit: "grapheme" }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...keys), { minLength: 1, maxLength: 4 }),
        value,
        (path, wanted) => {
          const edits = setValue(HOSTED, path, wanted, { path: "run.yaml" });
          if (edits === null) return;
          const after = applyEdits(HOSTED, edits);
          expect(at(parseYaml(after), path)).toEqual(wanted);
          const [first = ""] = path;
          const rest = (text: string) => ({ ...parseYaml(text), [first]: null });
          expect(rest(after)).toEqual({ ...rest(HOSTED), [first]: null });
          const isLeaf = !isJsonObject(at(parseYaml(HOSTED), path));
          if (isLeaf) {
            for (const comment of HOSTED.match(/# .*/g) ?? []) expect(after).toContain(comment);
          }
          expect(applyEdits(after, setValue(after, path, wanted) ?? [])).toBe(after);
        },
      ),
      { numRuns: 100, seed: 3 },
    );
  });
});

describe("a comment stays with its subject when a value is set", () => {
  it.each([
    ["behind the key", "a: # c\n  1\nb: 2\n", "a", 5, "a: 5 # c\nb: 2\n"],
    ["between key and value", "a:\n  # c\n  1\nb: 2\n", "a", 5, "a: 5\n  # c\nb: 2\n"],
    ["behind the mark of a block", "a: >- # c\n  t\n  u\nb: 2\n", "a", "x", "a: x # c\nb: 2\n"],
    [
      "in a list that is replaced",
      "l: # list\n- a # one\n- b # two\nb: 2\n",
      "l",
      ["x"],
      "l: [x] # list\n  # one\n  # two\nb: 2\n",
    ],
    [
      "in a mapping that is replaced",
      "o:\n  m: {a: 1, # one\n    b: 2}\n",
      "o.m",
      null,
      "o:\n  m: null # one\n",
    ],
    [
      "behind the last pair in braces",
      "m: {\n  a: 1, # one\n  b: 2 # two\n}\n",
      "m.c",
      3,
      "m: {\n  a: 1, # one\n  b: 2, # two\n  c: 3\n}\n",
    ],
    [
      "behind a comma in braces",
      "m: {\n  a: 1, # one\n}\n",
      "m.c",
      3,
      "m: {\n  a: 1, # one\n  c: 3,\n}\n",
    ],
    ["in braces without a pair", "m: { # one\n  }\n", "m.c", 3, "m: { # one\n  c: 3 }\n"],
  ] as const)("%s", (_where, text, path, value, expected) => {
    expect(set(text, path, value)).toBe(expected);
  });

  it("wherever comments are in the text", () => {
    const comment = fc.constantFrom("", "", " # c1", " # c2");
    const ownLine = fc.constantFrom("", "", "  # o1\n", "# o2\n");
    const value = fc.oneof(
      fc.tuple(comment, comment).map(([a, b]) => `:${a}\n    text${b}\n`),
      fc.tuple(comment).map(([a]) => `: 1${a}\n`),
      fc.tuple(comment).map(([a]) => `:${a}\n`),
      fc.tuple(comment, ownLine).map(([a, o]) => `:\n${o}    text${a}\n`),
      fc.tuple(comment).map(([a]) => `: |-${a}\n    text\n    # no comment\n`),
      fc.tuple(comment, comment, ownLine).map(([a, b, o]) => `:${a}\n  - x${b}\n${o}  - z\n`),
      fc.tuple(comment, comment).map(([a, b]) => `: [x,${a}\n    z${b}\n    ]\n`),
      fc.tuple(comment, comment).map(([a, b]) => `: {x: 1,${a}\n    z: 2${b}\n    }\n`),
      fc.tuple(comment, comment).map(([a, b]) => `:${a}\n    x: 1${b}\n    z: 2\n`),
    );
    const isExplicit = fc.boolean();
    const texts = fc
      .tuple(value, value, ownLine, isExplicit, fc.constantFrom("", "\uFEFF"))
      .map(([a, b, o, explicit, mark]) =>
        explicit ? `${mark}? a\n${a}${o}b${b}` : `${mark}a${a}${o}b${b}`,
      );
    const comments = (text: string) => [...text.matchAll(/# [co]\d/g)].map(String).toSorted();
    fc.assert(
      fc.property(texts, fc.constantFrom("a", "b", "c", "a.z", "b.w"), (text, path) => {
        const before = parseYaml(text);
        const after = set(text, path, "new");
        const keys = path.split(".");
        const isInner = keys.length > 1;
        const holder = at(before, keys.slice(0, -1));
        if (isInner && !isJsonObject(holder) && holder !== null) return;
        if (after === null) throw new Error("refused");
        expect(at(parseYaml(after), keys)).toBe("new");
        for (const key of ["a", "b"].filter((each) => each !== keys[0])) {
          expect(parseYaml(after)[key]).toEqual(before[key]);
        }
        expect(comments(after)).toEqual(comments(text));
        expect(after.startsWith("\uFEFF")).toBe(text.startsWith("\uFEFF"));
      }),
      { numRuns: 400, seed: 1 },
    );
  });
});

describe("a key that starts with a question mark", () => {
  it.each([
    ["? a\n: 1\nb: 2\n", "a", 5, "? a\n: 5\nb: 2\n"],
    ["? a # c\n: 1\n", "a", 5, "? a # c\n: 5\n"],
    ["? a\nb: 2\n", "a", 5, "? a\n: 5\nb: 2\n"],
    ["? a\n: 1\n", "b", 5, "? a\n: 1\nb: 5\n"],
    ["? a\n:\n  x: 1\n", "a.w", 5, "? a\n:\n  x: 1\n  w: 5\n"],
  ] as const)("%j: %s", (text, path, value, expected) => {
    expect(set(text, path, value)).toBe(expected);
  });
});

describe("a text with a byte order mark", () => {
  it.each([
    ["\uFEFFa: 1\n", "b", "\uFEFFa: 1\nb: 5\n"],
    ["\uFEFF", "b", "\uFEFFb: 5\n"],
    ["\uFEFF# c\na: 1\n", "b", "\uFEFF# c\na: 1\nb: 5\n"],
    ["\uFEFFm:\n  a: 1\n", "m.b", "\uFEFFm:\n  a: 1\n  b: 5\n"],
  ])("%j", (text, path, expected) => {
    expect(set(text, path, 5)).toBe(expected);
  });
});

describe("adding an environment", () => {
  const block = "  local/depot:\n    splits:\n      train: {}\n    num_rollouts: 8\n";

  it("puts it after the others", () => {
    const insertion = insertEnvironment(HOSTED, "local/depot");
    const after = insertion.kind === "edits" ? applyEdits(HOSTED, insertion.edits) : "";
    expect(after).toBe(HOSTED.replace("\n\nbatch_size", `\n${block}\nbatch_size`));
  });

  it("creates the mapping when there is none", () => {
    const insertion = insertEnvironment("batch_size: 4\n", "local/depot");
    const edits = insertion.kind === "edits" ? insertion.edits : [];
    expect(applyEdits("batch_size: 4\n", edits)).toBe(`batch_size: 4\nenvironments:\n${block}`);
  });

  it("gives a dataset a placeholder file", () => {
    const insertion = insertEnvironment("batch_size: 4\n", "local/dataset:algebra");
    if (insertion.kind !== "edits") throw new Error("expected edits");
    expect(applyEdits("batch_size: 4\n", insertion.edits)).toContain(
      "  local/dataset:algebra:\n    tasks: questions.jsonl\n",
    );
  });

  it("adds a new environment to the evaluation if it has a test split", () => {
    const text = "environments:\n  a: {}\nevaluation:\n  splits:\n    a: [test]\n  every: 10\n";
    const entry = { num_rollouts: 8 };
    const unknown = insertEnvironment(text, "ledger", { entry });
    if (unknown.kind !== "edits") throw new Error("expected edits");
    expect(applyEdits(text, unknown.edits)).not.toContain("ledger: [test]");
    const insertion = insertEnvironment(text, "ledger", { entry, hasTest: true });
    if (insertion.kind !== "edits") throw new Error("expected edits");
    expect(applyEdits(text, insertion.edits)).toBe(
      "environments:\n  a: {}\n  ledger:\n    num_rollouts: 8\nevaluation:\n  splits:\n    a: [test]\n    ledger: [test]\n  every: 10\n",
    );
  });

  it("leaves an existing one and invalid texts unchanged", () => {
    expect(insertEnvironment(HOSTED, "GeneralReasoning/WhoDunit")).toEqual({ kind: "present" });
    expect(insertEnvironment("a: [", "local/depot")).toEqual({ kind: "impossible" });
  });
});
