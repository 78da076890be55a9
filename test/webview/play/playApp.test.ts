// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import { PlayApp } from "../../../webview-ui/play/playApp.tsx";
import { PlayModel } from "../../../webview-ui/play/playModel.ts";
import { drawn } from "../drawn.ts";

it("the end of a play shows reward and ending like the rollout reader", () => {
  const play = new PlayModel({ postMessage: () => undefined } as never); // what is called of it
  const end = { reward: 1, stop: "context_exceeded", error: null, folder: null };
  play.view.value = { tools: [], turns: [], problem: null, isAwaited: false, end };
  const { place } = drawn(h(PlayApp, { play }));
  expect(place.querySelector(".play-end p")?.textContent).toBe(
    "Reward 1.00 · 0 turns · context exceeded",
  );
});
