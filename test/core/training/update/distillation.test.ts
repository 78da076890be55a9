import { describe, expect, it } from "vitest";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import {
  distill,
  lessons,
  teacherMetrics,
} from "../../../../src/core/training/update/distillation.ts";
import { scoreGroups } from "../../../../src/core/training/update/groups.ts";
import { scriptedSampler } from "../../rollout/scriptedModel.ts";
import { aConfig, aDatum, anEnvironment, aRollout, ENVIRONMENT } from "../builders.ts";
import { aContext } from "../fakeContext.ts";

const teacher = {
  model: "org/teacher",
  checkpoint: null,
  coef: 1,
  discount: 0,
  context: null,
  rewards: true,
};

/** Prompt 1, 2, two sampled tokens, one of context, one sampled. */
function datum(advantage: number, group = 0) {
  const ledger = new Ledger([1, 2]);
  ledger.addTurn([5, 6], [-0.5, -1]);
  ledger.addContext([], [7]);
  ledger.addTurn([8], [-2]);
  return aDatum({ ledger, advantage, group });
}

/** The teacher's, for the targets 2, 5, 6, 7, 8. */
const logprobs = Float32Array.of(-9, -1, -0.75, -9, -4);

describe("a teacher", () => {
  it("subtracts the difference in log-probabilities from the advantages, token by token", () => {
    // d: -0.5 + 1 = 0.5, -1 + 0.75 = -0.25, -2 + 4 = 2.
    const [taught] = distill([datum(1)], [{ teacher: { coef: 0.5, discount: 0 }, logprobs }]);
    expect([...(taught?.advantages ?? [])]).toEqual([0, 0.75, 1.125, 0, 0]);
  });

  it("spreads later differences over earlier tokens with a discount, across the whole stream", () => {
    // -d: -0.5, 0.25, 0, -2; backwards with 0.5: -2, -1, -0.25, -0.625.
    const [taught] = distill([datum(0)], [{ teacher: { coef: 1, discount: 0.5 }, logprobs }]);
    expect([...(taught?.advantages ?? [])]).toEqual([0, -0.625, -0.25, 0, -2]);
  });

  it("leaves tokens unchanged whose log-probability it does not know", () => {
    const unknown = Float32Array.of(-9, Number.NaN, -0.75, -9, -4);
    const [taught] = distill([datum(1)], [{ teacher, logprobs: unknown }]);
    expect([...(taught?.advantages ?? [])]).toEqual([0, 1, 1.25, 0, -1]);
  });

  it("has a measured distance only at tokens whose log-probability it knows", () => {
    const klOf = (...known: readonly number[]) => {
      const lesson = { teacher, logprobs: Float32Array.from(known) };
      return teacherMetrics(aConfig(), [datum(1)], [lesson], () => ENVIRONMENT);
    };
    const { NaN: none } = Number;
    expect(klOf(-9, none, -0.75, -9, -4)).toEqual({ teacher: { kl: (-0.25 + 2) / 2 } });
    expect(klOf(none, none, none, none, none)).toEqual({ teacher: { kl: null } });
  });

  it("is queried once for each datum of its environments", async () => {
    const other = { ...teacher, model: "org/other" };
    const asked: string[] = [];
    const context = aContext({
      config: aConfig({
        environments: {
          [ENVIRONMENT]: anEnvironment({ teacher }),
          "Owner/Other": anEnvironment({ teacher: other }),
          "Owner/None": anEnvironment(),
        },
      }),
      samplerForBase: async (model) =>
        scriptedSampler([], {
          computeLogprobs: (tokens) => {
            asked.push(`${model} ${tokens.join()}`);
            return tokens.map((_, i) => (i === 0 ? null : -i));
          },
        }),
    });
    const names = [ENVIRONMENT, "Owner/Other", "Owner/None"];
    const data = [datum(1, 0), datum(1, 1), datum(1, 2)];
    const environmentOf = ({ group }: { readonly group: number }) => names[group] ?? "";
    const taught = await lessons(context, data, environmentOf);
    expect(asked).toEqual(["org/teacher 1,2,5,6,7,8", "org/other 1,2,5,6,7,8"]);
    expect(taught.map((lesson) => lesson && [...lesson.logprobs])).toEqual([
      [-1, -2, -3, -4, -5],
      [-1, -2, -3, -4, -5],
      null,
    ]);
    // d: -0.5 + 2, -1 + 3, -2 + 5; their mean is 6.5 / 3.
    const metrics = teacherMetrics(context.config, data, taught, environmentOf);
    expect(metrics).toEqual({
      teacher: { kl: 6.5 / 3, env: { Game: { kl: 6.5 / 3 }, Other: { kl: 6.5 / 3 } } },
    });
  });

  it("that reads another prompt is queried about the same tokens after it", async () => {
    const ledger = new Ledger([1, 2], 0, [1, 90, 91, 2]);
    ledger.addTurn([5, 6], [-0.5, -1]);
    ledger.addContext([], [7]);
    ledger.addTurn([8], [-2]);
    const base = scriptedSampler([], {
      computeLogprobs: (tokens) => tokens.map((id, i) => (i === 0 ? null : -id)),
    });
    const context = aContext({
      config: aConfig({ teacher }),
      samplerForBase: async () => base,
    });
    const [taught] = await lessons(context, [aDatum({ ledger })], () => ENVIRONMENT);
    expect(base.recomputed).toEqual([[1, 90, 91, 2, 5, 6, 7, 8]]);
    expect([...(taught?.logprobs ?? [])]).toEqual([Number.NaN, -5, -6, -7, -8]);
  });

  it("trains groups with equal rewards, and groups without rewards by itself", () => {
    const rollouts = [1, 1].map((reward, rollout) => aRollout({ rollout, reward }));
    const failed = rollouts.map((rollout) => ({
      ...rollout,
      record: { ...rollout.record, reward: null },
    }));
    const uses = (members: typeof rollouts, config: ReturnType<typeof aConfig>) =>
      scoreGroups(members, config).flatMap((group) =>
        group.rollouts.map(({ advantage, data, trainingUse }) => [
          advantage,
          data.length,
          trainingUse,
        ]),
      );
    const equal = [0, 1, "trained"];
    expect(uses(rollouts, aConfig({ teacher }))).toEqual([equal, equal]);
    const alone = aConfig({ teacher: { ...teacher, rewards: false } });
    expect(uses(rollouts, alone)).toEqual([equal, equal]);
    expect(uses(failed, alone)).toEqual([equal, equal]);
    expect(uses(failed, aConfig({ teacher })).map(([, , use]) => use)).toEqual([
      "excluded:failures",
      "excluded:failures",
    ]);
  });
});
