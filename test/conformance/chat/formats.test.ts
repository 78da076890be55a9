import { expect, it, type TestContext } from "vitest";
import type { ParsedTurn, Renderer } from "../../../src/core/chat/renderer.ts";
import { checkRenderer } from "../../../src/core/chat/setup/formatCheck.ts";
import { type ExactJson, ExactNumber, isExactObject } from "../../../src/core/util/exactJson.ts";
import { CHAT_FAMILIES } from "../peers.ts";
import { addTally } from "../tally.ts";
import { AGREED, EXPLAINED, type Explained } from "./explained.ts";
import { kitTokenizer } from "./kitTokenizers.ts";
import { comparedProfiles, rendererOf } from "./profiles.ts";
import { describeFamilies, type Family, toFollowUp, toMessage, toTools } from "./vectors.ts";

/** Which of our lines may explain a difference: where several renderers agree ours must equal theirs, except for the few in `AGREED`. */
type Lines = readonly Explained[];

/** Runs each vector with its profile's renderer; a difference fails the test unless a line explains it. */
async function compare<V extends { readonly id: string; readonly profile: string }>(
  context: TestContext,
  name: string,
  family: Family,
  vectors: readonly V[],
  lines: Lines,
  check: (vector: V, renderer: Renderer) => void,
): Promise<void> {
  const { compared, leftOut } = comparedProfiles(family);
  const renderers = new Map<string, Renderer>();
  for (const [profile, facts] of compared) {
    renderers.set(profile, await rendererOf(profile, facts));
  }
  const differences: string[] = [];
  const explained = new Set(leftOut);
  const ours = vectors.filter(({ profile }) => renderers.has(profile));
  for (const vector of ours) {
    const renderer = renderers.get(vector.profile);
    if (renderer === undefined) throw new Error(`${vector.id} has no profile`);
    try {
      check(vector, renderer);
    } catch (error) {
      const title = `${name}: ${vector.id}`;
      const line = lines.find((known) => known.vectors.test(title));
      if (line === undefined) differences.push(`${title}: ${String(error).slice(0, 600)}`);
      else explained.add(line.why);
    }
  }
  const oracles = new Set([...compared.values()].flatMap((profile) => profile.oracles ?? []));
  addTally(context, {
    checks: ours.length,
    differences,
    explained: [...explained],
    version: [...oracles].sort().join(", "),
  });
  expect(differences.slice(0, 3), `${differences.length} of ${ours.length} differ`).toEqual([]);
}

type Parsed = Family["parses"][number]["expected"];

describeFamilies(CHAT_FAMILIES, (family, name) => {
  const promptOf = (scenario: string, renderer: Renderer): readonly number[] => {
    const { messages = [], tools } = family.scenarios[scenario] ?? {};
    return renderer.renderInitial(messages.map(toMessage), toTools(tools));
  };

  it("stops at the tokens of the kit", async (context) => {
    const stops = Object.entries(family.profiles).map(([profile, facts]) => ({
      id: `stops of ${profile}`,
      profile,
      facts,
    }));
    await compare(context, name, family, stops, EXPLAINED, ({ facts }, { stopIds, stopTexts }) => {
      expect([...stopIds].sort()).toEqual([...facts.stop_ids].sort());
      expect(stopTexts).toEqual(facts.stop_texts ?? []);
    });
  });

  it("passes the check before a run", async () => {
    for (const [profile, facts] of comparedProfiles(family).compared) {
      const renderer = await rendererOf(profile, facts);
      const tokenizer = await kitTokenizer(facts.tokenizer);
      expect(() => checkRenderer(renderer, { tokenizer, template: null }), profile).not.toThrow();
    }
  });

  it.for([
    ["several renderers agree", true, AGREED],
    ["one renderer was asked", false, EXPLAINED],
  ] as const)("renders prompts as expected where %s", async ([, areSeveral, lines], context) => {
    const vectors = family.prompts.filter(({ oracles = [] }) => oracles.length > 1 === areSeveral);
    await compare(context, name, family, vectors, lines, (vector, renderer) => {
      expect(promptOf(vector.scenario, renderer)).toEqual(vector.expected.prompt_ids);
    });
  });

  it("renders prompts correctly where renderers differ", async (context) => {
    const judged = family.disputed_prompts.filter((vector) => vector.judged != null);
    await compare(context, name, family, judged, EXPLAINED, (vector, renderer) => {
      expect(promptOf(vector.scenario, renderer)).toEqual(vector.judged?.prompt_ids);
    });
  });

  it("continues sampled turns", async (context) => {
    await compare(context, name, family, family.bridges, AGREED, (vector, renderer) => {
      expect(bridgeOf(vector, renderer)).toEqual(vector.expected.delta_ids);
    });
  });

  it("continues sampled turns correctly where renderers differ", async (context) => {
    const judged = family.disputed_bridges.filter((vector) => vector.judged != null);
    await compare(context, name, family, judged, EXPLAINED, (vector, renderer) => {
      expect(bridgeOf(vector, renderer)).toEqual(vector.judged?.delta_ids);
    });
  });

  const tools = toTools(family.parse_tools);
  it.for([
    ["several renderers agree", true, AGREED],
    ["one renderer was asked", false, EXPLAINED],
  ] as const)("parses turns as expected where %s", async ([, areSeveral, lines], context) => {
    await compare(context, name, family, family.parses, lines, (vector, renderer) => {
      const parsed = comparable(renderer.parse(vector.turn_ids, vector.tools == null ? [] : tools));
      expect(parsed).toMatchObject(normal(agreedFields(vector, areSeveral)));
    });
  });

  it("parses turns correctly where renderers differ", async (context) => {
    const judged = family.parses.filter((vector) => vector.judged != null);
    await compare(context, name, family, judged, EXPLAINED, (vector, renderer) => {
      const parsed = comparable(renderer.parse(vector.turn_ids, vector.tools == null ? [] : tools));
      expect(parsed).toMatchObject(normal(vector.judged ?? {}));
    });
  });
});

function bridgeOf(
  { turn_ids: turn, follow_ups: messages }: Family["disputed_bridges"][number],
  renderer: Renderer,
): readonly number[] {
  const { closing, delta } = renderer.bridge(turn, messages.map(toFollowUp));
  return [...closing, ...delta];
}

/** The fields of `expected` that several renderers agree on, or those of a single one. */
function agreedFields({ expected, agree }: Family["parses"][number], areSeveral: boolean): Parsed {
  const fields = Object.entries(expected).filter(([field]) => {
    const [first, ...others] = agree[field] ?? [];
    return (others.length > 0 || first === "definition") === areSeveral;
  });
  return Object.fromEntries(fields);
}

/** The kit's view of a parse: trimmed text, and whether a call was invalid, which a truncated one is not. */
function comparable({ reasoning, content, calls, errors, ended }: ParsedTurn) {
  return {
    reasoning: reasoning?.trim() ?? "",
    content: content.trim(),
    calls: calls.map(({ name, args }) => ({ name, args: asNumbers(args) })),
    malformed: errors.some(({ kind }) => ended || kind !== "unterminated"),
    ended,
  };
}

function normal(expected: Family["parses"][number]["expected"]): object {
  return {
    ...expected,
    ...(expected.calls !== undefined && {
      calls: expected.calls.map((call) => ({ ...call, args: asNumbers(call.args) })),
    }),
    ...(expected.reasoning !== undefined && { reasoning: expected.reasoning?.trim() ?? "" }),
    ...(expected.content !== undefined && { content: expected.content?.trim() ?? "" }),
  };
}

/** Numbers that passed through the kit's programs may be spelled differently from the model's: 1e3 and 1000.0. */
function asNumbers(value: ExactJson): ExactJson {
  if (value instanceof ExactNumber) {
    const number = Number(value.text);
    return Number.isInteger(number) && !Number.isSafeInteger(number) ? value : number;
  }
  if (isExactObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asNumbers(item)]));
  }
  return typeof value === "object" && value !== null ? value.map(asNumbers) : value;
}
