import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/host/manifest/commandTable.ts";
import { SETTING_SECTIONS } from "../../src/host/manifest/settingsTable.ts";

const sources = readdirSync("src/host", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => ({ file, text: readFileSync(join("src/host", file), "utf8") }));

function filesWith(text: string): readonly string[] {
  return sources.filter((source) => source.text.includes(text)).map(({ file }) => file);
}

describe("the sources of the extension", () => {
  it("register commands in one place, where a command without a row does not compile", () => {
    const others = sources.filter(
      ({ file, text }) =>
        text.includes("registerCommand(") && file !== join("vscode", "registerCommands.ts"),
    );
    // Commands that only our own code calls begin with a low line: VS Code shows them nowhere.
    expect(others.filter(({ text }) => !/"_tinkerRL\.|MOVE_SECRET/.test(text))).toEqual([]);
  });

  it("call only commands of ours that there are", () => {
    const calls = /(?:executeCommand\(|command: )"tinkerRL\.(\w+)"/g;
    const called = sources.flatMap(({ text }) => [...text.matchAll(calls)].map(([, id]) => id));
    expect(called.filter((id) => id === undefined || !COMMANDS.has(id))).toEqual([]);
  });

  it("read settings in one place, where a setting without a row does not compile", () => {
    const reading = /getConfiguration\(("tinkerRL[^)]*)?\)\s*\.(get|has|inspect)\b/;
    const readers = sources.filter(({ text }) => reading.test(text)).map(({ file }) => file);
    expect(readers).toEqual([join("vscode", "settings.ts")]);
  });

  it("set context keys in one place, where an unknown one does not compile", () => {
    expect(filesWith('"setContext"')).toEqual([join("vscode", "contextKeys.ts")]);
  });

  it("read every setting that is offered", () => {
    const offered = SETTING_SECTIONS.flatMap(({ settings }) => Object.keys(settings));
    const unread = offered.filter(
      (key) =>
        filesWith(`"${key}"`).filter((file) => file !== join("manifest", "settingsTable.ts"))
          .length === 0,
    );
    expect(unread).toEqual([]);
  });
});
