import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { runName, runParent } from "../../src/node/runPaths.ts";
import { aConfig } from "../core/training/builders.ts";

const path = resolve("/project/run.yaml");

describe("the path of a run", () => {
  it("is a separate folder next to the configuration, unless log_path names another", () => {
    const parent = (log_path: string | null) => runParent(aConfig({ log_path }), path);
    expect(parent(null)).toBe(resolve("/project/.tinker-rl/runs"));
    expect(parent("logs")).toBe(resolve("/project/logs"));
    expect(parent("../logs")).toBe(resolve("/logs"));
    expect(parent(resolve("/data/logs"))).toBe(resolve("/data/logs"));
  });

  it("uses the configured name, otherwise the tracker's, otherwise the file's", () => {
    const name = (changes: Parameters<typeof aConfig>[0]) => runName(aConfig(changes), path);
    expect(name({ run_name: "mine", wandb_run_name: "theirs" })).toBe("mine");
    expect(name({ wandb_run_name: "theirs", openreward_run_name: "other" })).toBe("theirs");
    expect(name({ openreward_run_name: "other" })).toBe("other");
    expect(name({})).toBe("run");
  });
});
