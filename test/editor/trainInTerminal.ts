import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Trains with a configuration to its end before the editor opens: what was run in a terminal, or earlier. */
export function trainInTerminal(folder: string, config = "tinker-config.yaml"): void {
  execFileSync(
    process.execPath,
    ["dist/trainer/tinker-rl.js", "train", "--config_path", join(folder, config)],
    { stdio: "pipe" },
  );
}
