/** `prices.json`: the token prices of a run. */

import * as z from "zod";
import type { FolderFiles } from "../ports.ts";
import { type Prices, pricesSchema } from "../usage/prices.ts";
import { parseJson } from "../util/jsonl.ts";
import { runPaths } from "./files/layout.ts";
import { MAX_BYTES, readIfReadable } from "./files/wholeFiles.ts";

const priceFileSchema = z
  .object({
    model: z.string(),
    /** USD per million tokens. */
    prices: pricesSchema,
    source: z.enum(["configuration", "price_list"]),
    /** The day the price list was fetched; null for prices from the configuration. */
    date: z.iso.date().nullable(),
  })
  .readonly();

export type PriceFile = z.infer<typeof priceFileSchema>;

/** Null if the run has no prices or they cannot be read. */
export async function readPriceFile(files: FolderFiles, folder: string): Promise<PriceFile | null> {
  const text = await readIfReadable(files, runPaths(folder).prices, MAX_BYTES.prices);
  return text === null ? null : (priceFileSchema.safeParse(parseJson(text)?.value).data ?? null);
}

/** @throws AppError `disk` */
export async function writePriceFile(
  files: FolderFiles,
  folder: string,
  file: PriceFile,
): Promise<void> {
  await files.writeAtomic(runPaths(folder).prices, `${JSON.stringify(file, null, 2)}\n`);
}

/** The prices of a run in the form that its folder stores; null if none are known. */
export function priceFileOf(
  { model_name: model, prices }: { readonly model_name: string; readonly prices: Prices | null },
  listed: Pick<PriceFile, "prices" | "date"> | null,
): PriceFile | null {
  if (prices !== null) return { model, prices, source: "configuration", date: null };
  return listed === null ? null : { model, ...listed, source: "price_list" };
}
