import { describe, expect, it } from "vitest";
import { diagnose } from "../../../../src/core/config/editing/diagnostics/diagnose.ts";
import { textWith } from "../configText.ts";

const ADDRESSES = ["tinker_base_url: http://here", "openreward_base_url: http://there"];
const embedded = (text: string): string =>
  text.replace("Qwen/Qwen3-8B", "local/tiny-tool").replace("Owner/Game", "local/calculator");

function unusedIn(text: string): readonly string[] {
  return diagnose(text, { path: "run.yaml" })
    .filter(({ code }) => code === "TRL213")
    .map(({ severity, path, remedies }) => `${severity} ${path[0]} | ${remedies[0]?.title}`);
}

describe("the server of an environment", () => {
  const found = (server: string, name = "maze"): readonly string[] =>
    diagnose(textWith().replace(/Owner\/Game:/, `${name}:\n    server: ${server}`), {
      path: "run.yaml",
    })
      .filter(({ code }) => code === "TRL221" || code === "TRL120")
      .map(({ path, message }) => `${path.slice(2).join(".")}: ${message}`);

  it("requires an address or a command", () => {
    expect(found("{}")).toEqual([
      "server: The server needs an address, a command or a bridge: add `url: http://HOST:PORT`, `command: [python, environment.py]`, or `bridge` with an `id`.",
    ]);
    expect(found("{ command: [python, maze.py] }")).toEqual([]);
    expect(found("{ url: https://maze.example }")).toEqual([]);
  });

  it("is local when a command starts it", () => {
    expect(found("{ command: [python, maze.py], url: http://127.0.0.1:8080 }")).toEqual([]);
    expect(found("{ command: [python, maze.py], url: http://maze.example }")).toHaveLength(1);
  });

  it("can be a bridge to an environment of another library, which excludes a command", () => {
    expect(found("{ bridge: reasoning-gym, id: chain_sum, args: { size: 9 } }")).toEqual([]);
    expect(found("{ bridge: reasoning-gym }")).toEqual([
      "server: A bridge needs `id`: the name of an environment of reasoning-gym.",
    ]);
    expect(found("{ bridge: textarena, id: Wordle-v0, command: [python, a.py] }")).toEqual([
      "server.command: The trainer starts the server of a `bridge` by itself. Remove `command`, or remove `bridge`.",
    ]);
    expect(found("{ id: chain_sum, url: https://maze.example }")).toEqual([
      "server.id: `id` is for a `bridge`: add `bridge: reasoning-gym`, or another library.",
    ]);
  });

  it("does not exist for an embedded environment", () => {
    expect(found("{ url: http://127.0.0.1:8080 }", "local/calculator")).toHaveLength(1);
  });

  it("must have a valid address", () => {
    expect(found("{ url: 'http://127.0.0.1:80:80' }")).toEqual([
      "server.url: `http://127.0.0.1:80:80` is not a valid address. Write http://HOST:PORT or https://HOST.",
    ]);
  });
});

describe("an unused address", () => {
  it("is reported with a fix to remove it when the model and environments are embedded", () => {
    expect(unusedIn(embedded(textWith(...ADDRESSES)))).toEqual([
      "warning tinker_base_url | Remove 'tinker_base_url'",
      "warning openreward_base_url | Remove 'openreward_base_url'",
    ]);
  });

  it("is not reported if the model or one of the environments is hosted", () => {
    expect(unusedIn(textWith(...ADDRESSES))).toEqual([]);
    const evaluated = "evaluation: { splits: { Owner/Other: [test] } }";
    expect(unusedIn(embedded(textWith(ADDRESSES[1] ?? "", evaluated)))).toEqual([]);
  });
});
