/** What the program knows about the models of the Tinker service. What the service itself says wins wherever it is known. */

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
  /** Day, as YYYY-MM-DD; null when all that is known is that the list of `LINE_UP_DATE` lacks the model. */
  readonly since: string | null;
  /** A listed model to use in its place. */
  readonly instead: string;
  /** True when Tinker itself names that model. */
  readonly isOfficial: boolean;
}

export interface LineUpModel {
  readonly name: string;
  /** Null when the format is not public. */
  readonly format: FormatName | null;
  /** Parameters, and those active for a token: `35B-A3B`. */
  readonly size: string;
  /** In tokens, ascending; empty when not published. The first one is that of the plain name. */
  readonly contexts: readonly number[];
  readonly readsImages: boolean;
  /** Null when not known. */
  readonly hiddenSize: number | null;
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
  LINE_UP.map((model) => [model.name, model]),
);

/** The model of this name, with or without a `:variant`; null when the table has none. */
export function findLineUpModel(name: string): LineUpModel | null {
  return BY_NAME.get(name.replace(/:.*$/, "")) ?? null;
}

/** How the model was trained to answer. */
export type ModelKind = "base" | "instruct" | "hybrid" | "reasoning";

const KINDS = { off: "instruct", switch: "hybrid", on: "reasoning" } as const;

/** Null when nothing public says it. */
export function kindOf({ format }: LineUpModel): ModelKind | null {
  if (format === null || format === "base") return format;
  return KINDS[FORMATS[format].thinking];
}

/** Since when a model is retired and what to use instead, as sentences. */
export function retirementText(name: string, { since, instead, isOfficial }: Retirement): string {
  const end =
    since === null
      ? `Tinker's list of models no longer has \`${name}\` (list of ${LINE_UP_DATE}).`
      : `Tinker retired \`${name}\` on ${since}.`;
  const next = isOfficial ? "Tinker names" : "The nearest listed model is";
  return `${end} ${next} \`${instead}\`${isOfficial ? " in its place" : ""}.`;
}

/** Listed models: what a person can choose from where the service's own list is not known. */
export function listedModels(): readonly LineUpModel[] {
  return LINE_UP.filter(({ retired }) => retired === null);
}

const VARIANT_CONTEXT = /:peft:(\d+)$/;

/**
 * Tokens that a model of this name holds: what a variant such as `:peft:262144` says, else the smallest published context; null
 * when nothing is known.
 */
export function contextOf(name: string): number | null {
  const variant = VARIANT_CONTEXT.exec(name)?.[1];
  if (variant !== undefined) return Number(variant);
  return findLineUpModel(name)?.contexts[0] ?? null;
}

/** The name under which the service trains the model with the longest context; null when there is only one. */
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
