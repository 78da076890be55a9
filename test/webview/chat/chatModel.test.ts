// @vitest-environment happy-dom

import { h } from "preact";
import { act } from "preact/test-utils";
import { expect, it } from "vitest";
import type { ChatReply } from "../../../src/shared/chat.ts";
import { ChatApp } from "../../../webview-ui/chat/chatApp.tsx";
import { ChatModel } from "../../../webview-ui/chat/chatModel.ts";
import { aPartner, aView } from "../../fakes/chatViews.ts";
import { drawn, typeInto } from "../drawn.ts";

it("a message written while the next conversation opens is kept until it can be sent", () => {
  const sent: unknown[] = [];
  const chat = new ChatModel({
    postMessage: (message) => void sent.push(message),
    getState: () => undefined,
    setState: () => undefined,
  });
  chat.listen();
  const { place } = drawn(h(ChatApp, { chat }));
  const reply = (data: ChatReply) =>
    void act(() => void window.dispatchEvent(new MessageEvent("message", { data })));
  const send = () =>
    void act(() => {
      const event = { key: "Enter", bubbles: true, cancelable: true };
      place.querySelector("textarea")?.dispatchEvent(new KeyboardEvent("keydown", event));
    });
  const view = aView([aPartner()]);
  reply({ kind: "view", view });
  reply({ kind: "part", what: "starting the conversation" });
  sent.length = 0;
  typeInto(place.querySelector("textarea") ?? document.createElement("textarea"), "Hello");
  send();
  expect([sent, chat.draft.value]).toEqual([[], "Hello"]);
  reply({ kind: "view", view });
  send();
  const message = { kind: "act", action: { action: "say", text: "Hello" } };
  expect([sent, chat.draft.value]).toEqual([[message], ""]);
});
