import { describe, expect, it, vi } from "vitest";
import type * as vscodeTypes from "vscode";
import { suggestionActions } from "../../../src/host/config/suggestionActions.ts";
import { textWith, textWithEnvironment } from "../../core/config/configText.ts";
import { aDocument } from "./configEditor.ts";

vi.mock("vscode", async () => (await import("./configEditor.ts")).vscode);

const path = ["environments", "Owner/Game", "max_concurrency"];
const edits = [{ path, value: 6 }];

/** The quick fixes for diagnostics that all suggest the same change. */
async function actionsFor(text: string, marks: readonly string[]) {
  // Only the members of a document and its diagnostics that are used.
  const document = aDocument(text) as unknown as vscodeTypes.TextDocument;
  const suggestions = marks.map((message) => {
    return { edits, diagnostic: { message } as vscodeTypes.Diagnostic };
  });
  const actions = await suggestionActions(document, suggestions);
  return actions.map(({ title, edit, diagnostics }) => ({
    title,
    marks: diagnostics?.map(({ message }) => message),
    texts: (edit as unknown as { edits: readonly { text: string }[] }).edits.map(
      (each) => each.text,
    ),
  }));
}

describe("quick fixes for a run's suggestions", () => {
  it("set the key, once for all diagnostics with the same suggestion", async () => {
    expect(await actionsFor(textWith(), ["full", "slow"])).toEqual([
      {
        title: "Set max_concurrency to 6",
        marks: ["full", "slow"],
        texts: [expect.stringContaining("max_concurrency: 6")],
      },
    ]);
  });

  it("are not offered if the file has the value already, or has no place for it", async () => {
    expect(await actionsFor(textWithEnvironment("max_concurrency: 6"), ["full"])).toEqual([]);
    expect(await actionsFor("environments: [", ["full"])).toEqual([]);
  });
});
