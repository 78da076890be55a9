// @vitest-environment happy-dom

import { afterEach, expect, it, vi } from "vitest";
import { connectShell } from "../../../webview-ui/model/shell.ts";

/** What the browser has in its place is not there in a test. */
class ASocket extends EventTarget {
  static readonly opened: ASocket[] = [];

  constructor() {
    super();
    ASocket.opened.push(this);
  }
}

afterEach(() => vi.unstubAllGlobals());

/** What a page gets of a message. */
function received(message: object): unknown {
  vi.stubGlobal("WebSocket", ASocket);
  const messages: unknown[] = [];
  connectShell("runs").listen((each) => messages.push(each));
  const data = JSON.stringify({ kind: "message", message });
  ASocket.opened.at(-1)?.dispatchEvent(new MessageEvent("message", { data }));
  return messages[0];
}

it("a page in a browser gets typed arrays as an editor gives them", () => {
  // Two numbers of 16 bits, the low byte first.
  expect(received({ turns: { typedArray: "Int16Array", bytes: "AQD//w==" } })).toEqual({
    turns: Int16Array.of(1, -1),
  });
});

it("a setting of a run that is named like the mark of a typed array is a setting", () => {
  const settings = { typedArray: '"constructor"', bytes: "0" };
  expect(received({ settings })).toEqual({ settings });
  expect(received({ settings: { typedArray: "toString" } })).toEqual({
    settings: { typedArray: "toString" },
  });
});
