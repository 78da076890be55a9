/** Built-in facts about the models of the Tinker service. Information from the service itself takes precedence. */

import { nearestWords } from "../../shared/editDistance.ts";
import { FORMATS, type FormatName } from "./formats.ts";
import {
  COOKBOOK_DATE,
  GONE,
  LINE_UP_DATE,
  LISTED,
  type ListedRow,
  NAMED_LATER,
  REPLACED,
  RETIRED,
  RETIREMENT_DAY,
  type RetiredRow,
} from "./lineUpRows.ts";

export interface Retirement {
  /** Day, as YYYY-MM-DD; null if the only evidence is that the list of `LINE_UP_DATE` does not include the model. */
  readonly since: string | null;
  /** A listed model to use instead. */
  readonly instead: string;
  /** True if Tinker itself recommends that model. */
  readonly isOfficial: boolean;
}

export interface LineUpModel {
  /** With a `:variant` if the service has the model under no plain name. */
  readonly name: string;
  /** Null if the format is not public. */
  readonly format: FormatName | null;
  /** Total parameters, and active parameters per token: `35B-A3B`. */
  readonly size: string;
  /** In tokens, ascending; empty if not published. The first applies to `name`. */
  readonly contexts: readonly number[];
  readonly readsImages: boolean;
  readonly hiddenSize: number;
  /** Date of the source that lists it; null for a retired model. */
  readonly listed: string | null;
  readonly retired: Retirement | null;
}

/** Listed models in the order of the table, then retired ones. */
export const LINE_UP: readonly LineUpModel[] = [
  ...LISTED.map((row) => listedModel(row, LINE_UP_DATE)),
  ...NAMED_LATER.map((row) => listedModel(row, COOKBOOK_DATE)),
  ...REPLACED.map((row) => retiredModel(row, { since: RETIREMENT_DAY, isOfficial: true })),
  ...RETIRED.map((row) => retiredModel(row, { since: RETIREMENT_DAY, isOfficial: false })),
  ...GONE.map((row) => retiredModel(row, { since: null, isOfficial: false })),
];

const BY_NAME: ReadonlyMap<string, LineUpModel> = new Map(
  LINE_UP.map((model) => [plainModelName(model.name), model]),
);

/** The model with this name, with or without a `:variant`; null if it is not in the table. */
export function findLineUpModel(name: string): LineUpModel | null {
  return BY_NAME.get(plainModelName(name)) ?? null;
}

/** The name without a variant such as `:peft:262144`. */
export function plainModelName(name: string): string {
  return name.replace(/:.*$/, "");
}

/** The offered models that someone may have meant by `name`: its variants, or else those with similar names. */
export function nearestModels(name: string, offered: readonly string[]): readonly string[] {
  const variants = offered.filter((other) => plainModelName(other) === plainModelName(name));
  return variants.length > 0 ? variants : nearestWords(name, offered);
}

/** How the model was trained to answer. */
export type ModelKind = "base" | "instruct" | "hybrid" | "reasoning";

const KINDS = { off: "instruct", switch: "hybrid", on: "reasoning" } as const;

/** Null if there is no public information. */
export function kindOf({ format }: LineUpModel): ModelKind | null {
  if (format === null || format === "base") return format;
  return KINDS[FORMATS[format].thinking];
}

/** Sentences that say when a model was retired and what to use instead. */
export function retirementText(name: string, { since, instead, isOfficial }: Retirement): string {
  const end =
    since === null
      ? `Tinker's list of models no longer has \`${name}\` (list of ${LINE_UP_DATE}).`
      : `Tinker retired \`${name}\` on ${since}.`;
  const next = isOfficial ? "Tinker names" : "The nearest listed model is";
  return `${end} ${next} \`${instead}\`${isOfficial ? " in its place" : ""}.`;
}

/** Listed models, to choose from if the service's own list is unknown. */
export function listedModels(): readonly LineUpModel[] {
  return LINE_UP.filter(({ retired }) => retired === null);
}

const VARIANT_CONTEXT = /:peft:(\d+)$/;

/**
 * Context length of a model name, from a variant such as `:peft:262144`, or else the smallest published context; null if unknown.
 */
export function contextOf(name: string): number | null {
  const variant = VARIANT_CONTEXT.exec(name)?.[1];
  if (variant !== undefined) return Number(variant);
  return findLineUpModel(name)?.contexts[0] ?? null;
}

/** Name of the variant with the longest context; null if there is only one context. */
export function longestVariant({ name, contexts }: LineUpModel): string | null {
  const longest = contexts.at(-1);
  return longest === undefined || contexts.length < 2 ? null : `${name}:peft:${longest}`;
}

function listedModel(row: ListedRow, listed: string): LineUpModel {
  const [name, format, size, contexts, input, hiddenSize] = row;
  return {
    name,
    format,
    size,
    hiddenSize,
    listed,
    contexts: contexts.map((count) => count * 1024),
    readsImages: input === "images",
    retired: null,
  };
}

function retiredModel(row: RetiredRow, end: Omit<Retirement, "instead">): LineUpModel {
  const [name, format, size, input, hiddenSize, instead] = row;
  return {
    name,
    format,
    size,
    hiddenSize,
    contexts: [],
    readsImages: input === "images",
    listed: null,
    retired: { ...end, instead },
  };
}
