import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ENVIRONMENT_TEMPLATES } from "../../../src/core/scaffold/environmentTemplates.ts";
import { pythonEnvironments } from "../../../src/core/scaffold/pythonEnvironments.ts";

it("finds classes derived from Environment, with their lines", () => {
  const text = `from openreward.environments import Environment, tool

class Helper:
    pass

class Maze(Environment):
    pass

class Other(Helper, ors.Environment):
    @classmethod
    def name(cls) -> str:
        return "other-maze"
`;
  expect(pythonEnvironments(text)).toEqual([
    { className: "Maze", name: "maze", line: 5 },
    { className: "Other", name: "other-maze", line: 8 },
  ]);
});

it("finds none in code without server environments", () => {
  expect(pythonEnvironments("from jinja2 import Environment\nclass A(Environment):\n")).toEqual([]);
  expect(pythonEnvironments("import openreward\nclass A(EnvironmentError):\n")).toEqual([]);
  expect(pythonEnvironments("")).toEqual([]);
});

it("finds the class in each template", () => {
  const templates = "src/trainer/scaffold/templates";
  for (const { kind } of ENVIRONMENT_TEMPLATES) {
    const text = readFileSync(join(templates, kind, "environment.py"), "utf8");
    const found = pythonEnvironments(text).map(({ name }) => name);
    expect([kind, found]).toEqual([kind, ["template-environment"]]);
  }
});

it("reads a pathological text quickly", () => {
  const text = `import ors\n${"class A(".repeat(50_000)}${" \n".repeat(50_000)}`;
  const startedAt = performance.now();
  expect(pythonEnvironments(text)).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
