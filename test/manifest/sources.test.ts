import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SETTING_SECTIONS } from "../../src/host/settingsTable.ts";

const sources = readdirSync("src/host", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => ({ file, text: readFileSync(join("src/host", file), "utf8") }));

function filesWith(text: string): readonly string[] {
  return sources.filter((source) => source.text.includes(text)).map(({ file }) => file);
}

describe("the sources of the extension", () => {
  it("register commands in one place, where a command without a row does not compile", () => {
    expect(filesWith("registerCommand(")).toEqual([join("commands", "registerCommands.ts")]);
    expect(filesWith("registerTextEditorCommand(")).toEqual([]);
  });

  it("read settings in one place, where a setting without a row does not compile", () => {
    const reading = /getConfiguration\(("tinkerRL[^)]*)?\)\s*\.(get|has|inspect)\b/;
    const readers = sources.filter(({ text }) => reading.test(text)).map(({ file }) => file);
    expect(readers).toEqual(["settings.ts"]);
  });

  it("set context keys in one place, where an unknown one does not compile", () => {
    expect(filesWith('"setContext"')).toEqual(["contextKeys.ts"]);
  });

  it("read every setting that is offered", () => {
    const offered = SETTING_SECTIONS.flatMap(({ settings }) => Object.keys(settings));
    const unread = offered.filter(
      (key) => filesWith(`"${key}"`).filter((file) => file !== "settingsTable.ts").length === 0,
    );
    expect(unread).toEqual([]);
  });
});
