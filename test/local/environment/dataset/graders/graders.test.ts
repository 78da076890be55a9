import { describe, expect, it } from "vitest";
import type { GraderConfig } from "../../../../../src/core/config/fields/schema.ts";
import type { Json } from "../../../../../src/core/json.ts";
import { createGrader } from "../../../../../src/local/environment/dataset/graders/graders.ts";
import { GRADER } from "../aSource.ts";

type Case = readonly [given: string, expected: Json, isRight: boolean];

function grades(
  config: Partial<GraderConfig>,
  [given, answer, isRight]: Case,
  choices: readonly string[] | null = null,
): void {
  const grader = createGrader({ ...GRADER, ...config });
  const reference = { answer, choices };
  expect(grader.fault(reference)).toBeNull();
  expect(grader.isRight(given, reference)).toBe(isRight);
}

describe("exact", () => {
  const cases: readonly Case[] = [
    ["Paris", "paris", true],
    ["  new   York\t", "New York", true],
    ["ﬁne", "fine", true],
    ["Ｐａｒｉｓ", "paris", true],
    ["cafe\u0301", "café", true],
    ["I think so.\n\nAnswer: Paris", "Paris", true],
    ["**Paris**", "Paris", true],
    ["The final answer is: Paris", "Paris", true],
    ["**Answer:** Paris", "Paris", true],
    ["Paris\nLondon", "Paris", false],
    ["London or Paris", "Paris", false],
    ["", "Paris", false],
    ["first\nsecond", "first\nsecond", true],
    ["second", "first\nsecond", false],
    ["42", 42, true],
    ["true", true, true],
    ["answering machine", "answering machine", true],
    ["The answer is **Paris**", "Paris", true],
    ["**Answer**: Paris", "Paris", true],
    ["**Answer:** **Paris**", "Paris", true],
    ["The answer is 5", "The answer is 5", true],
    ["**bold**", "**bold**", true],
    ["Answer: 2**3**2", "2**3**2", true],
    ["```\nParis\n```", "Paris", true],
    ["---", "---", true],
  ];
  it.each(cases)("%j against %j is %s", (...each) => grades({}, each));

  it("is case-sensitive if configured", () => {
    grades({ case_sensitive: true }, ["paris", "Paris", false]);
    grades({ case_sensitive: true }, ["Paris", "Paris", true]);
  });
});

describe("number", () => {
  const cases: readonly Case[] = [
    ["42", "42", true],
    ["42.0", "42", true],
    ["+42", 42, true],
    ["−42", "-42", true],
    ["43", "42", false],
    ["1,234,567", "1234567", true],
    ["1 234 567", "1234567", true],
    ["1_000", "1000", true],
    ["1,23", "123", false],
    ["12,34,567", "1234567", false],
    ["1.5e3", "1500", true],
    ["1.5E3", "1500", true],
    ["1.5 × 10^3", "1500", true],
    ["$1.5 \\times 10^{3}$", "1500", true],
    ["10^{-2}", "0.01", true],
    ["10²", "102", false],
    ["10²", "100", true],
    ["1.5 × 10⁻³", "0.0015", true],
    ["5 cm²", "5 cm^2", true],
    ["#### 42", "42", true],
    ["42", "6 times 7 is <<6*7=42>>42.\n#### 42", true],
    ["1/2", "0.5", true],
    ["-3/4", "-0.75", true],
    ["1 1/2", "1.5", true],
    ["½", "0.5", true],
    ["1½", "1.5", true],
    ["5,000,000", "5 million", true],
    ["5 Million", "5000000", true],
    ["5", "5 million", false],
    ["2 dozen eggs", "24 eggs", true],
    ["10 to 12", "10", false],
    ["3 or 4", "3", false],
    ["12 apples and 3 pears", "12 apples", false],
    ["5 kg m", "5 kg m", true],
    ["1½", "5.5", false],
    ["2 100/200", "2.5", true],
    ["The answer is **5**.", "5", true],
    ["$$\n\\boxed{5}\n$$", "5", true],
    ["\\[\n\\boxed{5}\n\\]", "5", true],
    ["\\frac{1}{2}", "0.5", true],
    ["-\\dfrac{3}{4}", "-0.75", true],
    ["\\frac12", "1/2", true],
    ["1\\frac{1}{2}", "1.5", true],
    ["1/0", "5", false],
    ["\\boxed{42}", "42", true],
    ["So \\(x\\) is $\\boxed{\\frac{1}{2}}$.", "0.5", true],
    ["\\boxed{42", "42", false],
    ["$42$", "42", true],
    ["\\(42\\)", "42", true],
    ["x = 42", "42", true],
    ["The answer is 42.", "42", true],
    ["2 + 2 = 4", "4", false],
    ["50%", "50%", true],
    ["50\\%", "0.5", true],
    ["50 %", "50", true],
    ["0.5", "50%", true],
    ["5", "50%", false],
    ["5 km", "5 km", true],
    ["5km", "5 km", true],
    ["5\\text{ km}", "5 km", true],
    ["5", "5 km", true],
    ["5 m", "5 km", false],
    ["5 km", "5", false],
    ["$18", "18", true],
    ["€18", "18 €", true],
    ["90^\\circ", "90°", true],
    ["3.14159265", "3.14159266", true],
    ["3.14", "3.14159265", false],
    ["5 6", "5", false],
    ["1 or 2", "1", false],
    ["NaN", "1", false],
    ["Infinity", "1", false],
    ["1e999", "1", false],
    ["0x10", "16", false],
    ["", "0", false],
    ["forty-two", "42", false],
  ];
  it.each(cases)("%j against %j is %s", (...each) => grades({ type: "number" }, each));

  it("uses the larger of both tolerances", () => {
    grades({ type: "number", tolerance: 0.01 }, ["101", "100", true]);
    grades({ type: "number", tolerance: 0.01 }, ["102", "100", false]);
    grades({ type: "number", tolerance: 0.01, absolute_tolerance: 5 }, ["104", "100", true]);
    grades({ type: "number" }, ["1e-9", "0", false]);
    grades({ type: "number", absolute_tolerance: 1e-6 }, ["1e-9", "0", true]);
  });
});

describe("choice", () => {
  const choices = ["Mercury", "Venus", "the Earth"];
  const cases: readonly Case[] = [
    ["B", "Venus", true],
    ["b", "B", true],
    ["(B)", "Venus", true],
    ["B.", "Venus", true],
    ["B) Venus", "Venus", true],
    ["venus", "B", true],
    ["Answer: B", "Venus", true],
    ["B) Mercury", "Venus", false],
    ["A", "Venus", false],
    ["Z", "Venus", false],
    ["A or B", "Venus", false],
    ["Because it is hot", "Venus", false],
    ["B", 1, true],
    ["A", 1, false],
    ["The  Earth", "C", true],
    ["The answer is (B).", "Venus", true],
    ["The answer is Venus.", "Venus", true],
    ["**B.** Venus", "Venus", true],
    ["**B**: Venus", "Venus", true],
    ["\\boxed{B}", "Venus", true],
    ["$\\boxed{\\text{Venus}}$", "Venus", true],
    ["（Ｂ）", "Venus", true],
    ["B", "1", true],
  ];
  it.each(cases)("%j against %j is %s", (...each) => grades({ type: "choice" }, each, choices));

  it("prefers a choice's text over its letter", () => {
    grades({ type: "choice" }, ["A", "A", true], ["B", "A"]);
    grades({ type: "choice" }, ["B", "A", false], ["B", "A"]);
  });

  it("refuses a number that is one choice and the position of another", () => {
    const { fault } = createGrader({ ...GRADER, type: "choice" });
    const numbers = ["3", "0", "1", "2"];
    expect(fault({ answer: 2, choices: numbers })).toBe(
      "is a choice and also the position of another: write the letter, D or C",
    );
    expect(fault({ answer: "2", choices: numbers })).toBeNull();
    expect(fault({ answer: 2, choices: ["0", "1", "2"] })).toBeNull();
  });

  it.each([["Mars"], [3], [-1], [0.5]])("an answer %j not in the choices is invalid", (answer) => {
    const { fault } = createGrader({ ...GRADER, type: "choice" });
    expect(fault({ answer, choices })).toContain("is not among the choices");
    expect(fault({ answer, choices: null })).toContain("the row has no choices");
  });
});

describe("regex", () => {
  const cases: readonly Case[] = [
    ["cat", "cats?", true],
    ["CATS", "cats?", true],
    ["a cat", "cats?", false],
    ["dog", "cat|dog", true],
    ["dogs", "cat|dog", false],
    ["2026-01-31", "\\d{4}-\\d{2}-\\d{2}", true],
    ["Answer: 42", "Answer: \\d+", true],
  ];
  it.each(cases)("%j against %j is %s", (...each) => grades({ type: "regex" }, each));

  it("a pattern that takes too long does not match", () => {
    const begin = performance.now();
    grades({ type: "regex" }, [`${"a".repeat(60)}!`, "(a+)+", false]);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });

  it("a pattern that does not compile is an error", () => {
    const { fault } = createGrader({ ...GRADER, type: "regex" });
    expect(fault({ answer: "(a", choices: null })).toContain("is not a regular expression");
  });
});

describe("json", () => {
  const cases: readonly Case[] = [
    ['{"a": 1, "b": [true, null]}', { b: [true, null], a: 1 }, true],
    ['{"a": 1.0000000001}', '{"a": 1}', true],
    ['```json\n{"a": 1}\n```', { a: 1 }, true],
    ['Here it is:\n{"a": 1}', { a: 1 }, true],
    ['Here it is:\n```json\n{"a": 1}\n```', { a: 1 }, true],
    ['Here it is:\n{\n  "a": [\n    1\n  ]\n}', { a: [1] }, true],
    ["First [1], then:\n[\n  2\n]", [2], true],
    ["So it is\n5", 5, true],
    ['{"a": 1, "b": 2}', { a: 1 }, false],
    ["[2, 1]", [1, 2], false],
    ['{"a": "1"}', { a: 1 }, false],
    ['{"__proto__": 1}', { a: 1 }, false],
    ["a: 1", { a: 1 }, false],
    ["5", 5, true],
  ];
  it.each(cases)("%j against %j is %s", (...each) => grades({ type: "json" }, each));
});

describe("contains", () => {
  const cases: readonly Case[] = [
    ["It is Paris, I think.", "paris", true],
    ["Comparison", "paris", false],
    ["5 apples", "5", true],
    ["15 apples", "5", false],
    ["5.2 apples", "5", false],
    ["0.5 apples", "5", false],
    ["-5", "5", false],
    ["x = −5", "5", false],
    ["It is -5.", "-5", true],
    ["3-5 apples", "5", true],
    ["It is 5.", "5", true],
    ["I like C++ a lot", "C++", true],
    ["new\nyork", "New York", true],
    ["答えは東京です。", "東京", true],
    ["コーヒーです", "コーヒー", true],
    ["答えは5です", "5", true],
    ["答えは15です", "5", false],
    ["这是Paris吗", "paris", true],
    ["คำตอบคือกรุงเทพครับ", "กรุงเทพ", true],
    ["Это Парижанин", "Париж", false],
    ["", "a", false],
  ];
  it.each(cases)("%j against %j is %s", (...each) => grades({ type: "contains" }, each));
});

describe("a hostile answer", () => {
  const MILLION = 1_000_000;
  const answers = {
    "a million letters": "a".repeat(MILLION),
    "a million spaces": `a${" ".repeat(MILLION)}b`,
    "a million lines": "\n".repeat(MILLION),
    "deep JSON": "[".repeat(MILLION),
    "a fence of lines": `\`\`\`${"\n".repeat(MILLION)}`,
    "combining marks": `a${"\u0301\u0323".repeat(MILLION / 2)}`,
    "open boxes": "\\boxed{".repeat(MILLION / 10),
    "open fractions": "\\frac{".repeat(MILLION / 10),
    "control characters": "\u0000\u001b".repeat(MILLION / 2),
    "lone surrogates": "\ud800".repeat(MILLION),
    digits: "1".repeat(MILLION),
    groups: "1,000".repeat(MILLION / 5),
  };
  const types = ["exact", "number", "choice", "regex", "json", "contains"] as const;
  const cases = types.flatMap((type) => Object.keys(answers).map((name) => [type, name] as const));
  it.each(cases)("does not block the grader %s: %s", (type, name) => {
    const text = Object.entries(answers).find(([key]) => key === name)?.[1] ?? "";
    const begin = performance.now();
    grades({ type }, [text, "7", false], type === "choice" ? ["7", "8", "a9"] : null);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });
});
