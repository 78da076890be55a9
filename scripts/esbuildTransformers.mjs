/** Bundles only the tokenizer of @huggingface/transformers: its entry loads native inference code at once. */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const STAND_IN_NAMESPACE = "tokenizers-need-no-inference";
/** The source files that import inference code; each is replaced by the names that its importers use. */
const STAND_INS = {
  inference: [
    "export class Tensor {}",
    "export const isONNXTensor = () => false;",
    "export const createInferenceSession = undefined;",
    "export const runInferenceSession = undefined;",
    "export const isONNXProxy = () => false;",
  ].join("\n"),
  fileList: "export const get_tokenizer_files = () => Promise.resolve([]);",
};

/** An esbuild plugin: the package becomes its tokenizer source, without ONNX Runtime, sharp and model downloads. */
export const transformersTokenizer = {
  name: "transformers-tokenizer",
  setup(build) {
    const entry = createRequire(import.meta.url).resolve("@huggingface/transformers");
    const source = join(dirname(entry), "..", "src");

    build.onResolve({ filter: /^@huggingface\/transformers$/ }, () => ({
      path: join(source, "tokenization_utils.js"),
      sideEffects: false,
    }));
    build.onResolve({ filter: /\/backends\/onnx\.js$/ }, () => ({
      path: "inference",
      namespace: STAND_IN_NAMESPACE,
    }));
    build.onResolve({ filter: /\/get_tokenizer_files\.js$/ }, () => ({
      path: "fileList",
      namespace: STAND_IN_NAMESPACE,
    }));
    build.onLoad({ filter: /.*/, namespace: STAND_IN_NAMESPACE }, ({ path }) => ({
      contents: STAND_INS[path],
      loader: "js",
    }));
  },
};
