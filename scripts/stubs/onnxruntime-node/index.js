// A stub: tokenizers need no inference, and this keeps several hundred megabytes of native code out of an installation.
class Tensor {}
const InferenceSession = {
  create() {
    return Promise.reject(new Error("inference is not part of this installation"));
  },
};
module.exports = { Tensor, InferenceSession, env: { wasm: {} } };
