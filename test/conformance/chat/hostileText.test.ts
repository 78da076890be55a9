import { expect, it } from "vitest";
import { addsNoControl, hostileFollowUps } from "../../core/chat/hostileTexts.ts";
import { CHAT_FAMILIES } from "../peers.ts";
import { addTally } from "../tally.ts";
import { kitTokenizer } from "./kitTokenizers.ts";
import { comparedProfiles, rendererOf } from "./profiles.ts";
import { describeFamilies } from "./vectors.ts";

const COUNT = 10_000;

describeFamilies(CHAT_FAMILIES, (family) => {
  it(`makes no control token from ${COUNT} hostile texts of an environment`, async (context) => {
    const { compared } = comparedProfiles(family);
    const checks = await Promise.all(
      [...compared].map(async ([profile, facts]) => {
        const tokenizer = await kitTokenizer(facts.tokenizer);
        const renderer = await rendererOf(profile, facts);
        return { profile, tokenizer, isHarmless: addsNoControl(renderer, tokenizer) };
      }),
    );
    const differences: string[] = [];
    for (const [i, { profile, tokenizer, isHarmless }] of checks.entries()) {
      const controls = tokenizer.addedTokens.map(({ text }) => text);
      const count = Math.ceil(COUNT / checks.length);
      for (const followUps of hostileFollowUps(controls, { count, seed: i })) {
        if (!isHarmless(followUps)) differences.push(`${profile}: ${JSON.stringify(followUps)}`);
      }
    }
    addTally(context, { checks: COUNT, differences, explained: [] });
    expect(differences.slice(0, 3), `${differences.length} of ${COUNT}`).toEqual([]);
  });
});
