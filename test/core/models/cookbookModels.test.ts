/**
 * Compares the table of models with tinker-cookbook 0.6.1; `cookbookModels.py` made the JSON file with that package. The cookbook keeps
 * retired models, and the contexts of these are not in our table.
 */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { learningRateMarkdown } from "../../../src/core/config/editing/descriptions/modelText.ts";
import { contextOf, findLineUpModel, LINE_UP } from "../../../src/core/models/lineUp.ts";

interface CookbookModel {
  readonly name: string;
  readonly size: string;
  readonly reads_images: boolean;
  readonly hidden_size: number;
  readonly learning_rate: number | null;
  readonly contexts: Readonly<Record<string, number>>;
}

const url = new URL("cookbookModels.json", import.meta.url);
const models = JSON.parse(readFileSync(url, "utf8")) as readonly CookbookModel[];

describe("the table of models has what the cookbook says about", () => {
  it("which models there are", () => {
    expect(models.map(({ name }) => findLineUpModel(name)?.name ?? name).sort()).toEqual(
      LINE_UP.map(({ name }) => name).sort(),
    );
  });

  it.each(models)("$name", (model) => {
    const { name, size, reads_images: readsImages, hidden_size: hiddenSize } = model;
    const own = findLineUpModel(name);
    expect(own).toMatchObject({ size, hiddenSize, readsImages });
    const rate = model.learning_rate?.toExponential(1);
    expect(learningRateMarkdown(name)).toEqual(
      rate === undefined ? [] : [expect.stringContaining(`\`${rate}\``)],
    );
    const served = Object.entries(model.contexts);
    for (const [full, context] of served) expect([full, contextOf(full)]).toEqual([full, context]);
    const names = served.map(([full]) => full);
    if (names.length > 0) expect(names).toContain(own?.name);
    expect(own?.contexts).toEqual(expect.arrayContaining(served.map(([, context]) => context)));
  });
});
