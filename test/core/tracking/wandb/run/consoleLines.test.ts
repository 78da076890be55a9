import { describe, expect, it } from "vitest";
import {
  ConsoleLines,
  consoleLine,
} from "../../../../../src/core/tracking/wandb/run/consoleLines.ts";

describe("the log of a run", () => {
  it("consists of complete lines", () => {
    const lines = new ConsoleLines();
    expect(lines.add("a\nb")).toEqual(["a"]);
    expect(lines.add("c\n\nd")).toEqual(["bc", ""]);
    expect(lines.end()).toEqual(["d"]);
    expect(lines.end()).toEqual([]);
  });

  it("has no escape sequences and no text that a carriage return overwrote", () => {
    const lines = new ConsoleLines();
    const link = "\u001b]8;;https://example.com\u0007link\u001b]8;;\u0007";
    expect(lines.add(`\u001b[1;32mgreen\u001b[0m ${link}\n`)).toEqual(["green link"]);
    expect(lines.add("abcdef\rXY\n")).toEqual(["XYcdef"]);
    expect(lines.add(`${"x".repeat(5_000)}\n`)[0]).toHaveLength(4_096);
  });

  it("includes the time and level", () => {
    const atMs = Date.UTC(2026, 10, 20, 14, 29, 3, 104);
    expect(consoleLine("stdout", "hi", atMs)).toBe("2026-11-20T14:29:03.104000 hi");
    expect(consoleLine("stderr", "hi", atMs)).toBe("ERROR 2026-11-20T14:29:03.104000 hi");
  });
});
