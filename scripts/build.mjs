// Builds dist/trainer, one self-contained folder with the program, the engine, the environments, the kernels and the model, and
// dist/extension.

import { cp, mkdir } from "node:fs/promises";
import asc from "assemblyscript/asc";
import { bundle } from "./bundle.mjs";
import { bundleExtension } from "./bundleExtension.mjs";

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
  await bundle(
    {
      "tinker-rl": "src/cli/main.ts",
      engine: "src/local/engine/main.ts",
      engineWorker: "src/local/engine/worker.ts",
      environment: "src/local/environment/server/main.ts",
      tokenizerWorker: "src/node/tokenizer/compileWorker.ts",
    },
    OUT,
  );
}

await mkdir(OUT, { recursive: true });
await Promise.all([
  buildKernels(),
  buildPrograms(),
  bundleExtension({ extension: "src/extension.ts" }, "dist/extension"),
]);
await cp("src/local/engine/model", `${OUT}/model`, { recursive: true });
