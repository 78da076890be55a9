import { describe, expect, it } from "vitest";
import { describeProblem } from "../../src/core/config/source/problem.ts";
import { manifest } from "./builtManifest.ts";

const { problemPatterns, problemMatchers } = manifest.contributes;

function match(line: string): readonly (string | undefined)[] | null {
  return new RegExp(problemPatterns[0]?.regexp ?? "").exec(line)?.slice(1) ?? null;
}

describe("the problem matchers", () => {
  const problem = {
    severity: "error",
    code: "TRL110",
    message: "Unknown key `lr`. Did you mean `learning_rate`?",
    path: ["optimizer", "lr"],
    at: { line: 12, column: 3 },
    span: null,
    related: [],
    remedies: [],
  } as const;

  it("parse the trainer's messages about a configuration", () => {
    expect(match(describeProblem(problem, "/projects/tinker-config.yaml"))).toEqual([
      "/projects/tinker-config.yaml",
      "12",
      "3",
      "error",
      "TRL110",
      "Unknown key `lr`. Did you mean `learning_rate`? (optimizer.lr)",
    ]);
  });

  it("parse paths with a drive letter", () => {
    expect(match("C:\\runs\\a.yaml:1:2: warning: TRL207 unusual")?.slice(0, 5)).toEqual([
      "C:\\runs\\a.yaml",
      "1",
      "2",
      "warning",
      "TRL207",
    ]);
  });

  it("ignore lines about steps", () => {
    expect(match("step  1/40  reward  0.17  loss  -462  groups 13/16  1.2 s")).toBeNull();
  });

  it("detect from the output that a run is being prepared, and that its first step is done", () => {
    const { beginsPattern = "", endsPattern = "" } = problemMatchers[0]?.background ?? {};
    expect("preparing: model").toMatch(new RegExp(beginsPattern));
    expect("step  1/40  reward  0.17").toMatch(new RegExp(endsPattern));
  });
});
