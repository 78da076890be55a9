/** The only architecture that the engine supports: a Llama-style decoder with tied embeddings and no biases. */

export interface Architecture {
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly feedForwardSize: number;
  readonly maxContext: number;
  readonly ropeTheta: number;
  readonly normEps: number;
}

/** Linear maps of one layer, in the order of every flat parameter array. */
export const PROJECTIONS = ["q", "k", "v", "o", "gate", "up", "down"] as const;
export type Projection = (typeof PROJECTIONS)[number];

/** Names of the projections in Hugging Face checkpoints, below `model.layers.N.`. */
export const PROJECTION_MODULES: Readonly<Record<Projection, string>> = {
  q: "self_attn.q_proj",
  k: "self_attn.k_proj",
  v: "self_attn.v_proj",
  o: "self_attn.o_proj",
  gate: "mlp.gate_proj",
  up: "mlp.up_proj",
  down: "mlp.down_proj",
};

/** [input size, output size] of a projection. */
export function projectionShape(
  arch: Architecture,
  projection: Projection,
): readonly [number, number] {
  switch (projection) {
    case "gate":
    case "up":
      return [arch.hiddenSize, arch.feedForwardSize];
    case "down":
      return [arch.feedForwardSize, arch.hiddenSize];
    default:
      return [arch.hiddenSize, arch.hiddenSize];
  }
}

export function isAttention(projection: Projection): boolean {
  return projection === "q" || projection === "k" || projection === "v" || projection === "o";
}

/** Rounds up to a multiple; panels are eight columns wide. */
export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}

/** Position of a tensor in a flat parameter array; row-major [rows, columns]. */
export interface TensorSpan {
  readonly name: string;
  readonly offset: number;
  readonly rows: number;
  readonly columns: number;
}

export function spanLength(span: TensorSpan): number {
  return span.rows * span.columns;
}

export interface LayerSpans {
  readonly inputNorm: TensorSpan;
  readonly postNorm: TensorSpan;
  readonly projections: Readonly<Record<Projection, TensorSpan>>;
}

/** Layout of all base weights in one flat array; projections are stored as [input, output]. */
export interface BaseLayout {
  readonly embedding: TensorSpan;
  readonly finalNorm: TensorSpan;
  readonly layers: readonly LayerSpans[];
  readonly all: readonly TensorSpan[];
  readonly length: number;
}

export function baseLayout(arch: Architecture): BaseLayout {
  const all: TensorSpan[] = [];
  let length = 0;
  const add = (name: string, rows: number, columns: number): TensorSpan => {
    const span = { name, offset: length, rows, columns };
    all.push(span);
    length += rows * columns;
    return span;
  };
  const embedding = add("model.embed_tokens.weight", arch.vocabSize, arch.hiddenSize);
  const layers: LayerSpans[] = [];
  for (let layer = 0; layer < arch.layers; layer++) {
    const prefix = `model.layers.${layer}.`;
    const span = (projection: Projection): TensorSpan => {
      const [rows, columns] = projectionShape(arch, projection);
      return add(`${prefix}${PROJECTION_MODULES[projection]}.weight`, rows, columns);
    };
    layers.push({
      inputNorm: add(`${prefix}input_layernorm.weight`, 1, arch.hiddenSize),
      postNorm: add(`${prefix}post_attention_layernorm.weight`, 1, arch.hiddenSize),
      projections: perProjection(span),
    });
  }
  const finalNorm = add("model.norm.weight", 1, arch.hiddenSize);
  return { embedding, finalNorm, layers, all, length };
}

/** LoRA pair of one projection: A [input, rank], B [rank, output]. */
export interface LoraSpans {
  readonly a: TensorSpan;
  readonly b: TensorSpan;
}

/** Layout of an adapter's parameters, gradients, and optimizer moments. Ranks are zero-padded to a multiple of eight. */
export interface AdapterLayout {
  readonly rank: number;
  readonly paddedRank: number;
  readonly layers: readonly Readonly<Record<Projection, LoraSpans>>[];
  readonly length: number;
}

export function adapterLayout(arch: Architecture, rank: number): AdapterLayout {
  const paddedRank = roundUp(rank, 8);
  let length = 0;
  const add = (name: string, rows: number, columns: number): TensorSpan => {
    const span = { name, offset: length, rows, columns };
    length += rows * columns;
    return span;
  };
  const layers = Array.from({ length: arch.layers }, (_, layer) =>
    perProjection((projection): LoraSpans => {
      const [input, output] = projectionShape(arch, projection);
      const name = `base_model.model.model.layers.${layer}.${PROJECTION_MODULES[projection]}`;
      return {
        a: add(`${name}.lora_A.weight`, input, paddedRank),
        b: add(`${name}.lora_B.weight`, paddedRank, output),
      };
    }),
  );
  return { rank, paddedRank, layers, length };
}

/** Largest supported LoRA rank. */
export const MAX_RANK = 64;

/** LoRA scale alpha / rank. The embedded model fixes alpha at twice the rank, so that one learning rate suits every rank. */
export const LORA_SCALE = 2;

/** A record with one entry per projection, in canonical order. */
function perProjection<T>(make: (projection: Projection) => T): Record<Projection, T> {
  return Object.fromEntries(
    PROJECTIONS.map((projection) => [projection, make(projection)]),
  ) as Record<Projection, T>;
}
