import { describe, expect, it } from "vitest";
import { scanFile } from "../../scripts/l10n/scanFile.ts";

function scan(text: string) {
  return scanFile("a.tsx", text, { hasTexts: true, isLoadedLate: false });
}

describe("the search for messages", () => {
  it("finds those of every call, also inside others", () => {
    const { messages, faults } = scan(`
      const late = () => vscode.l10n.t("{0} of {1}", 1, l10n.t("two " + "lines"));
      const many = (n) => plural(n, "{0} step", "{0} steps", l10n.t("and more"));
      function f() { throw new Error(l10n.t("It failed.")); }
    `);
    const found = ["{0} of {1}", "two lines", "{0} step", "{0} steps", "and more", "It failed."];
    expect(messages).toEqual(found);
    expect(faults).toEqual([]);
  });

  it.each([
    ['const f = () => "The run is done.";', "The run is done."],
    [`const f = (n) => \`step \${n} is over\`;`, "step {} is over"],
    ["const f = () => <b>Stop</b>;", "Stop"],
    ['const f = () => <b title="Stop">{x()}</b>;', "Stop"],
    ['const item = { label: isOn ? "On" : x };', "On"],
    ['f({ run: () => show("No run here") });', "No run here"],
  ])("refuses a text without a translation: %s", (text, shown) => {
    expect(scan(text).faults).toEqual([
      `1: ${JSON.stringify(shown)} is shown without a translation.`,
    ]);
  });

  it.each([
    'type Choice = "keep running" | "stop first";',
    'throw new AppError("bad-arguments", "there is no such file");',
    'const f = () => <b class="a b">{x}</b>;',
    'if (kind === "tool errors") f();',
    'log.warn("It was not written.", { error });',
  ])("passes what is for programs, errors and logs: %s", (text) => {
    expect(scan(text).faults).toEqual([]);
  });

  it("refuses a message that no translator would see, and one that is translated too early", () => {
    expect(scan("const f = (text) => l10n.t(text);").faults).toEqual([
      "1: a message is not written as a literal.",
    ]);
    expect(scan('const TITLE = l10n.t("Stop");').faults).toEqual([
      "1: a text is translated before the translations are known.",
    ]);
  });
});
