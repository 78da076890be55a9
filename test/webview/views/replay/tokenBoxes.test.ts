// @vitest-environment happy-dom

import { h } from "preact";
import { act } from "preact/test-utils";
import { expect, it } from "vitest";
import { TokenBoxes } from "../../../../webview-ui/views/replay/tokenBoxes.tsx";
import { aDashboard } from "../../dashboards.ts";
import { drawn } from "../../drawn.ts";
import { TOKENS } from "./tokenWindows.ts";

it("the tokens of two rollouts side by side have their own ids, and keys move in one of them", () => {
  const { dashboard } = aDashboard();
  const boxes = h(TokenBoxes, { dashboard, window: TOKENS, color: "logprob", found: null });
  const { place } = drawn(h("main", {}, boxes, h(TokenBoxes, { ...boxes.props, found: 2 })));
  const ids = [...place.querySelectorAll("[role=option]")].map(({ id }) => id);
  expect(new Set(ids).size).toBe(6);
  const [left, right] = place.querySelectorAll(".token-boxes");
  const active = (list: Element | undefined): string | undefined =>
    place
      .querySelector(`#${list?.getAttribute("aria-activedescendant")}`)
      ?.getAttribute("data-index") ?? undefined;
  expect(document.activeElement).toBe(right);
  expect([active(left), active(right)]).toEqual(["0", "2"]);
  const key = new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true });
  void act(() => void left?.dispatchEvent(key));
  expect(left?.querySelector('[aria-selected="true"]')?.getAttribute("data-index")).toBe("1");
  expect(right?.querySelector('[aria-selected="true"]')?.getAttribute("data-index")).toBe("2");
});

it("a prompt token was not sampled, whether or not the rollout is trained on", () => {
  const { dashboard } = aDashboard();
  const details = (color: "logprob" | "loss"): string | null | undefined => {
    const boxes = h(TokenBoxes, { dashboard, window: TOKENS, color, found: null });
    return drawn(boxes).place.querySelector(".token-details")?.textContent;
  };
  expect(details("logprob")).toContain("Sampler log-probnot sampled");
  expect(details("loss")).toContain("Lossnot trained on");
});
