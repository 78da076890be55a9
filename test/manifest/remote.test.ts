import { describe, expect, it } from "vitest";
import { manifest, sourcesOf } from "./builtManifest.ts";

/** Sources of the extension and its pages. */
const sources = sourcesOf("src/host", "webview-ui");

function filesWith(pattern: RegExp): readonly string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

/** https://code.visualstudio.com/api/advanced-topics/remote-extensions */
describe("in a remote window (SSH, WSL, containers, Codespaces) the extension", () => {
  it("runs where the files are, because it reads run folders and starts trainers", () => {
    expect(manifest.extensionKind).toEqual(["workspace"]);
    expect(manifest.capabilities.virtualWorkspaces.supported).toBe("limited");
  });

  it("opens addresses through the editor, which forwards remote ports", () => {
    expect(filesWith(/openExternal\(/).length).toBeGreaterThan(0);
    expect(filesWith(/\b(xdg-open|rundll32|x-www-browser)\b|exec\w*\(\s*["'`]open /)).toEqual([]);
  });

  it("serves files to its pages through editor addresses, not through remote ports", () => {
    expect(filesWith(/asWebviewUri\(/)).toEqual(["src/host/dashboard/panels.ts"]);
    expect(filesWith(/vscode-resource:|vscode-webview-resource:/)).toEqual([]);
    expect(filesWith(/https?:\/\/(localhost|127\.0\.0\.1)/)).toEqual([]);
  });

  it("keeps machine-specific settings out of workspace settings", () => {
    const scopes = Object.assign(
      {},
      ...manifest.contributes.configuration.map((own) => own.properties),
    );
    for (const name of ["tinker.baseUrl", "openReward.baseUrl", "env.read", "run.onQuit"]) {
      expect(scopes[`tinkerRL.${name}`], name).toMatchObject({ scope: "machine" });
    }
  });
});
