// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import { Config } from "../../../webview-ui/views/config.tsx";
import { aDashboard } from "../dashboards.ts";
import { drawn } from "../drawn.ts";

function anAnswer(value: string) {
  const entry = { key: "lr", path: ["lr"], value, origin: "file", isTunable: false } as const;
  return {
    kind: "config",
    id: 1,
    config: { path: null, overrides: [], entries: [entry] },
  } as const;
}

it("the configuration is asked for again when the host starts over, even with the same run", () => {
  const { dashboard, asked, know, startOver } = aDashboard();
  know({ id: "one", attempt: 1 });
  const { place } = drawn(h(Config, { dashboard }));
  asked.at(-1)?.answer(anAnswer("1e-4"));
  expect(place.textContent).toContain("1e-4");
  startOver({ id: "one", attempt: 1 });
  expect(place.textContent).toBe("");
  asked.at(-1)?.answer(anAnswer("2e-4"));
  expect(place.textContent).toContain("2e-4");
  know({ id: "one", attempt: 1 });
  expect(asked.map(({ isCanceled }) => isCanceled)).toEqual([true, false]);
});

it("an unreadable configuration shows the reason", () => {
  const { dashboard, asked, know } = aDashboard();
  know({ id: "one", attempt: 1 });
  const { place } = drawn(h(Config, { dashboard }));
  asked.at(-1)?.answer({ kind: "error", id: 1, message: "There is no such file." });
  expect(place.textContent).toBe("There is no such file.");
});
