import { describe, expect, it, vi } from "vitest";
import { findingsIn } from "../../../src/host/runs/runDiagnostics.ts";

vi.mock("vscode", () => ({ DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2 } }));

describe("a trainer's messages about a configuration", () => {
  it("are parsed line by line, with zero-based positions", () => {
    const message = [
      "/projects/tinker-config.yaml:12:3: error: TRL110 Unknown key `lr`. (lr)",
      "C:\\work\\a.yaml:1:1: warning: TRL207 unusual",
      "--overrides a=1: error: TRL120 not a place in the file",
      "and a line of its own",
    ].join("\n");
    expect(findingsIn(message)).toEqual([
      {
        path: "/projects/tinker-config.yaml",
        line: 11,
        column: 2,
        severity: "error",
        code: "TRL110",
        message: "Unknown key `lr`. (lr)",
      },
      {
        path: "C:\\work\\a.yaml",
        line: 0,
        column: 0,
        severity: "warning",
        code: "TRL207",
        message: "unusual",
      },
    ]);
  });

  it("need no code", () => {
    expect(findingsIn("a.yaml:1:2: error: broken")).toMatchObject([
      { code: null, message: "broken" },
    ]);
  });
});
