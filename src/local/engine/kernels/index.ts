// The numeric kernels of the embedded engine, compiled by AssemblyScript to WebAssembly with SIMD.

export { matmul, matmulTransposedA, pack, packTransposed, transpose } from "./matmul";
export { attendRow, cacheRow, rope, softmaxBackward, softmaxCausal } from "./attention";
export {
  gatherRows,
  logSoftmax,
  rmsNorm,
  rmsNormBackward,
  scatterAddRows,
  scatterRows,
  swiglu,
  swigluBackward,
  targetLogprobs,
  targetLogprobsBackward,
} from "./pointwise";
