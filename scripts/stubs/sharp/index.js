// Tokenizers need no inference: this stub keeps several hundred megabytes of native code out of an install.
class Tensor {}
const InferenceSession = {
  create() {
    return Promise.reject(new Error("inference is not part of this installation"));
  },
};
module.exports = { Tensor, InferenceSession, env: { wasm: {} } };
