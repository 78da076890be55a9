// @vitest-environment happy-dom

import { afterEach, expect, it, vi } from "vitest";
import { connectShell } from "../../../webview-ui/model/shell.ts";

/** The browser's replacement for the editor API is missing in a test. */
class ASocket extends EventTarget {
  static readonly opened: ASocket[] = [];

  constructor() {
    super();
    ASocket.opened.push(this);
  }
}

afterEach(() => vi.unstubAllGlobals());

/** The message as the page receives it. */
function received(message: object): unknown {
  vi.stubGlobal("WebSocket", ASocket);
  const messages: unknown[] = [];
  connectShell("runs").listen((each) => messages.push(each));
  const data = JSON.stringify({ kind: "message", message });
  ASocket.opened.at(-1)?.dispatchEvent(new MessageEvent("message", { data }));
  return messages[0];
}

it("a page in a browser gets typed arrays like in an editor", () => {
  // Two 16-bit numbers, little-endian.
  expect(received({ turns: { typedArray: "Int16Array", bytes: "AQD//w==" } })).toEqual({
    turns: Int16Array.of(1, -1),
  });
});

it("a run's setting with the name of the typed array marker stays a setting", () => {
  const settings = { typedArray: '"constructor"', bytes: "0" };
  expect(received({ settings })).toEqual({ settings });
  expect(received({ settings: { typedArray: "toString" } })).toEqual({
    settings: { typedArray: "toString" },
  });
});
