/** Skills say what this program can do: they are in the open format, and each command and tool in them exists. */

import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { parseArguments } from "../src/cli/arguments/arguments.ts";
import { shapeAt } from "../src/core/config/fields/fields.ts";
import { STOP_REASONS } from "../src/core/runFolder/metrics/stopReasons.ts";
import { ALLOWABLE } from "../src/server/mcp/permission.ts";
import { anAssistant, NOTHING } from "./server/mcp/anAssistant.ts";
import { codes, SKILLS } from "./skills.ts";

/** <https://agentskills.io/specification> */
const head = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  description: z.string().min(1).max(1024),
});
const MOST_LINES = 500;

describe.each(SKILLS)("the skill $folder", ({ folder, head: written, text, commands }) => {
  it("has the head of an Agent Skill, with the name of its folder", () => {
    expect(head.parse(written).name).toBe(folder);
    expect(text.split("\n").length).toBeLessThan(MOST_LINES);
  });

  it("has commands that the program understands", () => {
    expect(commands.length).toBeGreaterThan(3);
    for (const words of commands) expect(() => parseArguments(words)).not.toThrow();
  });

  it("names files of the repository that exist", () => {
    for (const path of codes(text).filter((code) => code.startsWith("docs/"))) {
      expect([path, existsSync(path)]).toEqual([path, true]);
    }
  });

  it("names tools that an assistant can have", async () => {
    const permission = { ...NOTHING, allowed: new Set(ALLOWABLE) };
    const assistant = await anAssistant("skills", { permission });
    const { tools } = await assistant.client.listTools();
    await assistant.close();
    const known = tools.map(({ name }) => name);
    const named = codes(text).filter((code) => /^[a-z]+([A-Z][a-z]+)+$/.test(code));
    expect(known).toEqual(expect.arrayContaining([...named]));
  });

  it("names keys of a configuration that exist", () => {
    const keys = codes(text).filter((code) => /^[a-z]+(_[a-z]+)+$/.test(code));
    const places = [[], ["environments", "x"], ["environments", "x", "agent"]];
    const known = (key: string): boolean =>
      places.some((place) => shapeAt([...place, key]) !== undefined);
    const outputs: ReadonlySet<string> = new Set([
      ...["num_errors", "num_excluded_groups"],
      ...STOP_REASONS,
    ]);
    expect(keys.filter((key) => !known(key) && !outputs.has(key))).toEqual([]);
  });
});
