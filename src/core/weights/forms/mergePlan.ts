/** Which products of an adapter are added to which part of which tensor of the base model. */

import { AppError } from "../../errors.ts";
import { visibleLine } from "../../util/visibleText.ts";
import type { BaseFolder, BaseTensor } from "./baseFolder.ts";
import { isUnembedding, plainName, renamed } from "./families.ts";
import {
  expertModule,
  expertsOf,
  type LoraAdapter,
  type LoraPair,
  type LoraTensor,
  ofExpert,
} from "./loraAdapter.ts";

/** One product B A on a part of a matrix of the base model. */
export interface Addition {
  /** [rank, input] */
  readonly a: LoraTensor;
  /** [output, rank] */
  readonly b: LoraTensor;
  /** Which matrix of a tensor that holds those of all experts. */
  readonly matrix: number;
  /** True where the rows of the matrix are inputs. */
  readonly isTransposed: boolean;
  readonly firstRow: number;
  readonly firstColumn: number;
  /** From one column of the product to the next: 2 where those of two products alternate. */
  readonly columnStep: number;
}

export interface MergePlan {
  /** By name of the tensor. */
  readonly additions: ReadonlyMap<string, readonly Addition[]>;
  /**
   * Where the base model reads its unembedding from its embedding and the adapter changes only that: the tensor that the new one is a copy
   * of, and its name. Null otherwise.
   */
  readonly untied: { readonly from: string; readonly name: string } | null;
  /** True where the merged model has an unembedding of its own, whatever its configuration said before. */
  readonly hasOwnHead: boolean;
}

type Place = Omit<Addition, "a" | "b" | "matrix">;
type Placed = readonly [name: string, addition: Addition];

const WHOLE: Place = { isTransposed: false, firstRow: 0, firstColumn: 0, columnStep: 1 };

/** @throws AppError `weights-form` for an adapter that is of another model than the base */
export function planMerge({ pairs }: LoraAdapter, base: BaseFolder): MergePlan {
  const additions = new Map<string, Addition[]>();
  const untied = untiedHead(pairs, base);
  for (const pair of pairs) {
    const placed = isUnembedding(pair.module)
      ? headAddition(pair, base, untied)
      : (expertAdditions(pair, base) ?? fusedAddition(pair, pairs, base) ?? plain(pair, base));
    for (const [name, addition] of placed) {
      additions.set(name, [...(additions.get(name) ?? []), addition]);
    }
  }
  const hasOwnHead = pairs.some(({ module }) => isUnembedding(module));
  return { additions, untied, hasOwnHead };
}

function plain(pair: LoraPair, base: BaseFolder): readonly Placed[] {
  const name = `${baseName(pair.module, base)}.weight`;
  return [onWhole(pair, name, found(name, pair, base))];
}

function untiedHead(pairs: readonly LoraPair[], base: BaseFolder): MergePlan["untied"] {
  const name = `${base.family.family.head}.weight`;
  if (base.tensors.has(name) || !pairs.some(({ module }) => isUnembedding(module))) return null;
  return { from: `${baseName("model.embed_tokens", base)}.weight`, name };
}

function headAddition(
  pair: LoraPair,
  base: BaseFolder,
  untied: MergePlan["untied"],
): readonly Placed[] {
  const name = `${base.family.family.head}.weight`;
  return [onWhole(pair, name, found(untied?.from ?? name, pair, base))];
}

/** Among the rows of a fused projection, below those of the parts before it; null where the module is none of its parts. */
function fusedAddition(
  pair: LoraPair,
  pairs: readonly LoraPair[],
  base: BaseFolder,
): readonly Placed[] | null {
  const { fused } = base.family.family;
  const leaf = pair.module.slice(pair.module.lastIndexOf(".") + 1);
  const at = fused?.parts.indexOf(leaf) ?? -1;
  if (fused === null || at < 0) return null;
  const layer = pair.module.slice(0, -leaf.length - 1);
  const name = `${baseName(`${layer}.${fused.name}`, base)}.weight`;
  const [rows = 0, columns = 0] = found(name, pair, base).shape;
  const firstRow = fused.parts.slice(0, at).reduce((sum, part) => {
    const before = pairs.find(({ module }) => module === `${layer}.${part}`);
    if (before !== undefined) return sum + (before.b.shape[0] ?? 0);
    throw mismatch(pair, `the adapter lacks ${part} beside it`);
  }, 0);
  const [output, input] = sidesOf(pair);
  if (firstRow + output > rows || input !== columns) {
    throw mismatch(pair, `${name} has the shape [${rows}, ${columns}]`);
  }
  return [[name, { ...WHOLE, a: pair.a, b: pair.b, matrix: 0, firstRow }]];
}

/** To a tensor for each expert, or to those that hold the matrices of all; null for another module. */
function expertAdditions(pair: LoraPair, base: BaseFolder): readonly Placed[] | null {
  const experts = expertsOf(pair);
  if (experts === null) return null;
  const all = Array.from({ length: experts }, (_, expert): LoraPair => {
    const module = expertModule(pair.module, expert, base.family);
    return { module, a: ofExpert(pair.a, expert), b: ofExpert(pair.b, expert) };
  });
  const [, layer = "", projection = ""] =
    /^(.+\.experts)\.0\.(\w+)$/.exec(baseName(all[0]?.module ?? "", base)) ?? [];
  const name = `${layer}.${projection === "down_proj" ? projection : "gate_up_proj"}`;
  const joined = base.tensors.get(name);
  if (joined === undefined) return all.flatMap((one) => plain(one, base));
  if (joined.shape[0] !== experts) throw mismatch(pair, `${name} is of ${joined.shape[0]} experts`);
  return all.map((one, matrix) => {
    const place = expertPlace(one, projection, joined, base);
    return [name, { ...place, a: one.a, b: one.b, matrix }];
  });
}

/**
 * Where an expert's projection lies in the matrix that gate and up share, or in that of down. Models hold it as [output, input] or as
 * [input, output], which the shape shows; where both would do it is [input, output], as GPT-OSS has it.
 */
function expertPlace(
  pair: LoraPair,
  projection: string,
  { shape: [, rows = 0, columns = 0] }: BaseTensor,
  { family: { family } }: BaseFolder,
): Place {
  const [output, input] = sidesOf(pair);
  const share = projection === "down_proj" ? 1 : 2;
  const at = projection === "up_proj" ? 1 : 0;
  if (rows === input && columns === share * output) {
    return share === 2 && family.hasAlternatingExperts
      ? { ...WHOLE, isTransposed: true, firstColumn: at, columnStep: 2 }
      : { ...WHOLE, isTransposed: true, firstColumn: at * output };
  }
  if (columns === input && rows === share * output) return { ...WHOLE, firstRow: at * output };
  throw mismatch(pair, `each expert of the base model has the shape [${rows}, ${columns}]`);
}

function baseName(module: string, { family }: BaseFolder): string {
  return renamed(plainName(module, family), family.family.baseRenames);
}

function found(name: string, pair: LoraPair, { tensors }: BaseFolder): BaseTensor {
  const tensor = tensors.get(name);
  if (tensor !== undefined) return tensor;
  throw mismatch(pair, `the base model has no ${name}`);
}

function onWhole(pair: LoraPair, name: string, { shape }: BaseTensor): Placed {
  const [output, input] = sidesOf(pair);
  if (shape.length !== 2 || shape[0] !== output || shape[1] !== input) {
    throw mismatch(pair, `${name} has the shape [${shape.join(", ")}]`);
  }
  return [name, { ...WHOLE, a: pair.a, b: pair.b, matrix: 0 }];
}

/** Of the product, [output, input]. */
function sidesOf({ a, b }: LoraPair): readonly [number, number] {
  return [b.shape[0] ?? 0, a.shape[1] ?? 0];
}

function mismatch(pair: LoraPair, why: string): AppError {
  const [name, reason] = [pair.module, why].map((text) => visibleLine(text).slice(0, 300));
  return new AppError(
    "weights-form",
    `The adapter's ${name} of [${sidesOf(pair).join(", ")}] does not fit the base model: ${reason}. Check the folder of the base model, or choose the form peft.`,
  );
}
