// Builds dist/extension and dist/trainer, one self-contained folder with the programs, the engine, the environments, the kernels, and
// the model.

import { cp, mkdir } from "node:fs/promises";
import { basename } from "node:path";
import asc from "assemblyscript/asc";
import { bundle, removeStaleScripts } from "./bundle.mjs";
import { rememberPackages } from "./bundledPackages.mjs";
import { bundleExtension } from "./bundleExtension.mjs";

// Set by `.ci/run` while several suites run programs from dist.
if (process.env.TINKER_RL_BUILT === "true") process.exit();

const OUT = "dist/trainer";

async function buildKernels() {
  const options = [
    ...["-O3", "--converge", "--noAssert", "--runtime", "stub", "--enable", "simd"],
    ...["--importMemory", "--initialMemory", "64", "--maximumMemory", "65536"],
  ];
  const { error, stderr } = await asc.main([
    "src/local/engine/kernels/index.ts",
    ...options,
    "--outFile",
    `${OUT}/kernels.wasm`,
  ]);
  if (error !== null) throw new Error(`The kernels do not compile.\n${stderr.toString()}`);
}

async function buildPrograms() {
  const { metafile } = await bundle(
    {
      "tinker-rl": "src/cli/main.ts",
      engine: "src/local/engine/service/main.ts",
      engineWorker: "src/local/engine/worker.ts",
      environment: "src/local/environment/server/main.ts",
      keepCommand: "src/node/keepCommand.ts",
      tokenizerWorker: "src/node/tokenizer/compileWorker.ts",
      encodeWorker: "src/node/tokenizer/encodeWorker.ts",
    },
    OUT,
    { splitting: true },
  );
  // Bundled separately: the search thread starts faster without unrelated code.
  const thread = await bundle({ textWorker: "src/node/texts/textWorker.ts" }, OUT);
  const outputs = { ...metafile.outputs, ...thread.metafile.outputs };
  const written = Object.keys(outputs).map((file) => basename(file));
  await removeStaleScripts(OUT, written);
  await rememberPackages("trainer", { inputs: { ...metafile.inputs, ...thread.metafile.inputs } });
}

async function buildExtension() {
  const { metafile } = await bundleExtension({ extension: "src/extension.ts" }, "dist/extension");
  await rememberPackages("extension", metafile);
}

await mkdir(OUT, { recursive: true });
await Promise.all([buildKernels(), buildPrograms(), buildExtension()]);
await cp("src/local/engine/model", `${OUT}/model`, { recursive: true });
await cp("src/trainer/bridges/bridge.py", `${OUT}/bridge.py`);
await cp("src/trainer/scaffold/templates", `${OUT}/templates`, { recursive: true });
