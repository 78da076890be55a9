// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import type { RolloutBody } from "../../../../src/shared/dashboardTypes.ts";
import { RewardFooter } from "../../../../webview-ui/views/replay/rewardFooter.tsx";
import { drawn } from "../../drawn.ts";

it("a failed rollout has no reward, whatever was computed before", () => {
  const rewardBreakdown = { group: null, nonterminal: 0, reduction: "sum", reduced: 0, clamped: 0 };
  const textOf = (changes: Partial<RolloutBody>) => {
    const body = { turns: [], rewards: [], rewardBreakdown, ...changes } as unknown as RolloutBody; // only the members it reads
    return drawn(h(RewardFooter, { body, row: undefined, group: [], titleId: "title" })).place
      .textContent;
  };
  expect(textOf({ reward: 0, error: null })).toContain("sum(0) = 0");
  const failed = textOf({ reward: null, error: "The session is gone." });
  expect(failed).toContain("No reward: the rollout failed.");
  expect(failed).toContain("The session is gone.");
  expect(failed).not.toContain("sum(0) = 0");
});
