import { describe, expect, it } from "vitest";
import {
  deploymentOf,
  runPageUrl,
  wandbBaseUrl,
} from "../../../../../src/core/tracking/wandb/login/deployment.ts";

const at = { entity: "ada", project: "my project", run: "k3v9q0ab" };

describe("the address of W&B", () => {
  it.each([
    ["https://api.forge.coreweave.com/", "https://api.forge.coreweave.com"],
    ["https://forge.coreweave.com/api/wandb", "https://api.forge.coreweave.com"],
    ["https://api.wandb.ai", "https://api.wandb.ai"],
    [" https://API.wandb.ai:443/", "https://api.wandb.ai"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["https://wandb.example.com/prefix/", "https://wandb.example.com/prefix"],
  ])("%s is used as %s", (given, used) => {
    expect(wandbBaseUrl(given, "WANDB_BASE_URL")).toBe(used);
  });

  it.each([
    "wandb.ai",
    "https://wandb.ai",
    "http://api.wandb.ai",
    "https://forge.coreweave.com/wandb",
    "ftp://api.wandb.ai",
    "https://ada:s3cret@wandb.example.com",
  ])("%s is invalid", (given) => {
    expect(() => wandbBaseUrl(given, "WANDB_BASE_URL")).toThrow(/^WANDB_BASE_URL /);
  });

  it("is the same deployment under its old name", () => {
    const [now, before] = ["https://api.forge.coreweave.com", "https://api.wandb.ai"] as const;
    expect(deploymentOf(before)).toBe(deploymentOf(now));
    expect(deploymentOf("https://api.example.com")).not.toBe(deploymentOf(now));
  });

  it.each([
    ["https://api.wandb.ai", "https://forge.coreweave.com/wandb/ada/my%20project/runs/k3v9q0ab"],
    ["https://api.acme.example", "https://app.acme.example/ada/my%20project/runs/k3v9q0ab"],
    ["http://localhost:8080", "http://localhost:8080/ada/my%20project/runs/k3v9q0ab"],
  ])("%s has its pages at %s", (baseUrl, page) => {
    expect(runPageUrl(baseUrl, null, at)).toBe(page);
  });
});
