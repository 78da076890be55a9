/** A search result in the built page, opened in the tokens of its rollout. */

import { expect, it } from "vitest";
import { aRecord, aRecordedTurn } from "../core/runFolder/builders.ts";
import { writeHardRun } from "../server/dashboard/writtenRun.ts";
import { showSearchPart } from "../workbench/dashboardPlaces.ts";
import { pagesOfEachTest } from "./pagesOfEachTest.ts";

/** More than one window of tokens. */
const TOKENS = 2_600;
const FOUND = 2_345;
const { parent, fileSystem, open, storeIn } = pagesOfEachTest();

it("opens the token where a search result starts, or the text if there are no tokens", async () => {
  const { page } = await open({
    folder: await writeRun(),
    tokenTexts: async (_, ids) => Array.from(ids, (id) => `<|w${id}_section|> `),
    view: { tab: "rollouts", rolloutPart: "search", replayMode: "tokens" },
  });
  const search = async (text: string): Promise<void> => {
    await showSearchPart(page);
    await page.getByRole("searchbox", { name: "Search in rollouts" }).fill(text);
    await page.locator(".snippet").filter({ hasText: text }).first().click();
  };
  await search(`w${FOUND}`);
  await page.getByText(`Tokens 2,001 to ${TOKENS.toLocaleString("en")}`).waitFor();
  const chosen = page.locator('.token[aria-selected="true"]');
  await expect.poll(() => chosen.textContent()).toContain(`w${FOUND}`);
  await expect
    .poll(() =>
      chosen.evaluate((token) => {
        const { top, bottom } = token.getBoundingClientRect();
        return top > 0 && bottom < innerHeight;
      }),
    )
    .toBe(true);
  // A long control token is not broken over two lines.
  const broken = (all: readonly Element[]) =>
    all.filter((box) => box.getClientRects().length > 1).length;
  expect(await page.locator(".token").evaluateAll(broken)).toBe(0);
  await search("untrained");
  await page.locator(".turns").waitFor();
});

/** Two rollouts next to those of the run: one with tokens, and one without. */
async function writeRun(): Promise<string> {
  const { folder, step } = await writeHardRun(fileSystem, parent, { rollouts: 8, tokens: 20 });
  const store = storeIn(folder);
  const ids = Array.from({ length: TOKENS }, (_, id) => id);
  const said = aRecordedTurn({ content: ids.map((id) => `w${id}`).join(" "), calls: [] });
  await store.addRollout(aRecord({ step, group: 80, turns: [said] }));
  await store.addRollout(aRecord({ step, group: 81, promptText: "This one is untrained." }));
  const zeros = ids.map(() => 0);
  await store.addTokens(step, [
    {
      group: 80,
      rollout: 0,
      stream: 0,
      ids,
      turns: zeros,
      mask: ids.map(() => 1),
      samplerLogprobs: zeros,
      trainerLogprobs: zeros,
      advantages: zeros,
    },
  ]);
  return folder;
}
