import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** Trains with a configuration to its end before the editor opens, like a run in a terminal or an earlier one. */
export async function trainInTerminal(
  folder: string,
  config = "tinker-config.yaml",
): Promise<void> {
  const program = "dist/trainer/tinker-rl.js";
  const args = [program, "train", "--config_path", join(folder, config)];
  await promisify(execFile)(process.execPath, args);
}
