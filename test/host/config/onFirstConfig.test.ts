import { expect, it, vi } from "vitest";
import { onFirstConfig } from "../../../src/host/config/onFirstConfig.ts";
import { aDocument, editor } from "./configEditor.ts";

vi.mock("vscode", async () => (await import("./configEditor.ts")).vscode);

it("runs once when a configuration is opened or a document becomes one, not on each keystroke", () => {
  const { fire } = editor;
  const then = vi.fn();
  const listening = onFirstConfig(then);
  fire("open", aDocument("a: 1", "/a/other.yaml"));
  expect(then).not.toHaveBeenCalled();
  const changed = aDocument("# tinker-rl: config\na: 1", "/a/other.yaml");
  fire("change", { document: changed });
  for (let key = 0; key < 3; key += 1) fire("change", { document: changed });
  fire("open", aDocument("a: 1"));
  expect(then).toHaveBeenCalledTimes(1);
  listening.dispose();
});
