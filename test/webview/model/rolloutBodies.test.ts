import { expect, it } from "vitest";
import type { RolloutBody } from "../../../src/shared/dashboardTypes.ts";
import type { RolloutKey } from "../../../src/shared/rolloutSet.ts";
import type { Answer, Host } from "../../../webview-ui/model/host.ts";
import { type ReadRollout, RolloutBodies } from "../../../webview-ui/model/rolloutBodies.ts";

const keyOf = (rollout: number): RolloutKey => ({ source: "training", step: 0, group: 0, rollout });
const body = { turns: [] } as unknown as RolloutBody; // no one looks into it here

function aHost() {
  const asked: { readonly rollout: number; readonly take: (answer: Answer) => void }[] = [];
  const canceled: number[] = [];
  const host = {
    ask: (question: { readonly key: RolloutKey }, take: (answer: Answer) => void) => {
      const { rollout } = question.key;
      asked.push({ rollout, take });
      return () => void canceled.push(rollout);
    },
  } as unknown as Host; // the only part that is used
  const answer = (at: number): void =>
    asked[at]?.take({ kind: "rollout", id: 1, key: keyOf(0), body });
  return { host, asked, canceled, answer };
}

it("a prefetched rollout is available immediately when it is opened", () => {
  const { host, asked, answer } = aHost();
  const bodies = new RolloutBodies(host);
  bodies.request(keyOf(1));
  expect(bodies.get(keyOf(1))).toBeNull();
  answer(0);
  expect(bodies.get(keyOf(1))).toEqual({ body, error: null });
  const taken: ReadRollout[] = [];
  bodies.request(keyOf(1), (read) => taken.push(read));
  expect(taken).toHaveLength(1);
  expect(asked).toHaveLength(1);
});

it("keeps only a few, drops all when it is cleared, and requests failed ones again", () => {
  const { host, asked, canceled, answer } = aHost();
  const bodies = new RolloutBodies(host);
  for (let rollout = 0; rollout < 8; rollout += 1) bodies.request(keyOf(rollout));
  expect(canceled).toEqual([0, 1]);
  answer(7);
  bodies.clear();
  expect(bodies.get(keyOf(7))).toBeNull();
  const errors: (string | null)[] = [];
  const request = (): unknown => bodies.request(keyOf(3), ({ error }) => errors.push(error));
  request();
  asked.at(-1)?.take({ kind: "error", id: 1, message: "being written" });
  request();
  expect(errors).toEqual(["being written", "being written"]);
  request();
  expect(asked.at(-1)?.rollout).toBe(3);
  expect(asked).toHaveLength(10);
});
