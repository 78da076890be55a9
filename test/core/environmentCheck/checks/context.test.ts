import { expect, it } from "vitest";
import { checkPlanted } from "../checkPlanted.ts";
import { sum, verdict } from "../plantedDefects.ts";

const JAPANESE = sum({ prompt: ({ a, b }) => `${"東京の番号は何ですか。".repeat(30)}${a}+${b}` });

it("a prompt in another script is estimated at about one token per character", async () => {
  const { checks } = await checkPlanted({ environment: JAPANESE }, ["prompt-length"], {
    maxTotalTokens: 256,
  });
  expect(checks[0]?.findings).toMatchObject([{ severity: "warning" }]);
});

it("a prompt that leaves no room is a defect when measured with the model's tokenizer", async () => {
  const { checks } = await checkPlanted({ environment: sum() }, ["prompt-length"], {
    maxTotalTokens: 256,
    countTokens: async () => 300,
  });
  expect(checks[0]?.findings).toMatchObject([
    {
      severity: "defect",
      message: "A prompt has 300 tokens with its tools; the limit of a rollout is 256.",
    },
  ]);
});

it("an answer longer than the context is reported", async () => {
  const environment = sum({
    answer: (_, task) => ({ ...verdict(true, task), text: "long ".repeat(900) }),
  });
  const { checks } = await checkPlanted({ environment }, ["answer-length"], {
    maxTotalTokens: 1000,
  });
  expect(checks[0]?.findings).toMatchObject([{ severity: "warning" }]);
});

it("images are a defect only if the model reads none", async () => {
  const environment = sum({
    answer: (_, task) => ({
      ...verdict(true, task),
      blocks: [{ type: "image", data: "aGk=", mimeType: "image/png" }],
    }),
  });
  const found = async (readsImages: boolean | undefined) =>
    (await checkPlanted({ environment }, ["images"], { readsImages })).checks[0];
  expect((await found(false))?.findings).toMatchObject([{ severity: "defect" }]);
  expect((await found(true))?.findings).toEqual([]);
  expect(await found(undefined)).toMatchObject({ notMade: expect.anything() });
});
