/** The models that can be trained. */

import * as z from "zod";
import { formatFactsOf } from "../models/formatOfModel.ts";
import { findLineUpModel } from "../models/lineUp.ts";
import { count, defineOutput, list } from "./output.ts";

export const modelsOutput = defineOutput(
  { name: "models", version: 1, command: "models --json" },
  {
    source: z.string().nullable().describe("address of the service; null: the built-in table"),
    models: list(
      z.object({
        name: z.string(),
        size: z.string().nullable().describe("number of parameters, and of those active per token"),
        contexts: list(count).describe(
          "context lengths in tokens, including those of variants; empty: unknown",
        ),
        readsImages: z.boolean().nullable(),
        isSupported: z.boolean().describe("false: it cannot be trained yet"),
        callsTools: z.boolean().nullable(),
        thinking: z.enum(["on", "off", "switch"]).nullable(),
        efforts: list(z.string()).describe("values that thinking.effort may have"),
      }),
    ),
  },
);

export function describeModels(
  source: string | null,
  models: readonly { readonly name: string; readonly contexts: readonly number[] }[],
): ReturnType<typeof modelsOutput.of> {
  return modelsOutput.of({
    source,
    models: models.map(({ name, contexts }) => {
      const model = findLineUpModel(name);
      const facts = formatFactsOf(name);
      return {
        name,
        size: model?.size ?? null,
        contexts: [...contexts],
        readsImages: model?.readsImages ?? null,
        isSupported: model?.format !== null,
        callsTools: facts?.callsTools ?? null,
        thinking: facts?.thinking ?? null,
        efforts: [...(facts?.efforts ?? [])],
      };
    }),
  });
}
