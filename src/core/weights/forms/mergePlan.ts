/** Plans which products of an adapter are added to which part of which base model tensor. */

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

/** One product B A, added to part of a base model matrix. */
export interface Addition {
  /** [rank, input] */
  readonly a: LoraTensor;
  /** [output, rank] */
  readonly b: LoraTensor;
  /** Index of the matrix in a tensor that stacks those of all experts. */
  readonly matrix: number;
  /** True if the rows of the matrix are inputs. */
  readonly isTransposed: boolean;
  readonly firstRow: number;
  readonly firstColumn: number;
  /** Step between consecutive columns of the product: 2 if the columns of two products alternate. */
  readonly columnStep: number;
}

export interface MergePlan {
  /** By tensor name. */
  readonly additions: ReadonlyMap<string, readonly Addition[]>;
  /**
   * Set if the base model ties its unembedding to its embedding and the adapter changes only the former: the tensor to copy, and
   * the name of the copy. Else null.
   */
  readonly untied: { readonly from: string; readonly name: string } | null;
  /** True if the merged model has its own unembedding, whatever its configuration said before. */
  readonly hasOwnHead: boolean;
}

type Placement = Omit<Addition, "a" | "b" | "matrix">;
type PlacedAddition = readonly [name: string, addition: Addition];

const WHOLE: Placement = { isTransposed: false, firstRow: 0, firstColumn: 0, columnStep: 1 };

/** @throws AppError `weights-form` if the adapter belongs to another model than the base */
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

function plain(pair: LoraPair, base: BaseFolder): readonly PlacedAddition[] {
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
): readonly PlacedAddition[] {
  const name = `${base.family.family.head}.weight`;
  return [onWhole(pair, name, found(untied?.from ?? name, pair, base))];
}

/** The rows of a fused projection below those of its earlier parts; null if the module is not one of its parts. */
function fusedAddition(
  pair: LoraPair,
  pairs: readonly LoraPair[],
  base: BaseFolder,
): readonly PlacedAddition[] | null {
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

/** Additions to one tensor per expert, or to tensors that stack all experts; null for other modules. */
function expertAdditions(pair: LoraPair, base: BaseFolder): readonly PlacedAddition[] | null {
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
    const placement = expertPlacement(one, projection, joined, base);
    return [name, { ...placement, a: one.a, b: one.b, matrix }];
  });
}

/**
 * Locates an expert's projection in the matrix shared by gate and up, or in that of down. The shape shows whether the model
 * stores it as [output, input] or [input, output]; if both fit, it is [input, output], as in GPT-OSS.
 */
function expertPlacement(
  pair: LoraPair,
  projection: string,
  { shape: [, rows = 0, columns = 0] }: BaseTensor,
  { family: { family } }: BaseFolder,
): Placement {
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

function onWhole(pair: LoraPair, name: string, { shape }: BaseTensor): PlacedAddition {
  const [output, input] = sidesOf(pair);
  if (shape.length !== 2 || shape[0] !== output || shape[1] !== input) {
    throw mismatch(pair, `${name} has the shape [${shape.join(", ")}]`);
  }
  return [name, { ...WHOLE, a: pair.a, b: pair.b, matrix: 0 }];
}

/** Dimensions of the product, [output, input]. */
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
