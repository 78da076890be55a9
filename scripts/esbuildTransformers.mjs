/** Bundles only the tokenizer of @huggingface/transformers, because its entry point loads native inference code. */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const STUB_NAMESPACE = "tokenizers-need-no-inference";
/** Source files that import inference code, each replaced by a stub with the names that its importers use. */
const STUBS = {
  inference: [
    "export class Tensor {}",
    "export const isONNXTensor = () => false;",
    "export const createInferenceSession = undefined;",
    "export const runInferenceSession = undefined;",
    "export const isONNXProxy = () => false;",
  ].join("\n"),
  fileList: "export const get_tokenizer_files = () => Promise.resolve([]);",
};

/** An esbuild plugin that reduces the package to its tokenizer source, without ONNX Runtime, sharp, and model downloads. */
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
      namespace: STUB_NAMESPACE,
    }));
    build.onResolve({ filter: /\/get_tokenizer_files\.js$/ }, () => ({
      path: "fileList",
      namespace: STUB_NAMESPACE,
    }));
    build.onLoad({ filter: /.*/, namespace: STUB_NAMESPACE }, ({ path }) => ({
      contents: STUBS[path],
      loader: "js",
    }));
  },
};
