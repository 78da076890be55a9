import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const manifest = z
  .object({
    extensionKind: z.array(z.string()),
    browser: z.undefined().optional(),
    capabilities: z.object({ virtualWorkspaces: z.object({ supported: z.string() }) }),
    contributes: z.object({
      configuration: z.array(
        z.object({ properties: z.record(z.string(), z.object({ scope: z.string() })) }),
      ),
    }),
  })
  .parse(JSON.parse(readFileSync("package.json", "utf8")));

/** The sources of the extension and of its pages, by path. */
const sources = ["src/host", "webview-ui"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
);

function filesWith(pattern: RegExp): readonly string[] {
  return sources.filter((path) => pattern.test(readFileSync(path, "utf8")));
}

/** https://code.visualstudio.com/api/advanced-topics/remote-extensions */
describe("in a remote window (SSH, WSL, containers, Codespaces) the extension", () => {
  it("runs where the files are, because it reads run folders and starts trainers", () => {
    expect(manifest.extensionKind).toEqual(["workspace"]);
    expect(manifest.capabilities.virtualWorkspaces.supported).toBe("limited");
  });

  it("asks the editor to open addresses, which passes ports of the remote on", () => {
    expect(filesWith(/openExternal\(/).length).toBeGreaterThan(0);
    expect(filesWith(/\b(xdg-open|rundll32|x-www-browser)\b|exec\w*\(\s*["'`]open /)).toEqual([]);
  });

  it("gives its pages files by addresses of the editor, and no port of the remote", () => {
    expect(filesWith(/asWebviewUri\(/)).toEqual(["src/host/dashboard/fillPanel.ts"]);
    expect(filesWith(/vscode-resource:|vscode-webview-resource:/)).toEqual([]);
    expect(filesWith(/https?:\/\/(localhost|127\.0\.0\.1)/)).toEqual([]);
  });

  it("keeps what belongs to the machine of the files out of the settings of workspaces", () => {
    const scopes = Object.assign(
      {},
      ...manifest.contributes.configuration.map((own) => own.properties),
    );
    for (const name of ["tinker.baseUrl", "openReward.baseUrl", "env.read", "run.onQuit"]) {
      expect(scopes[`tinkerRL.${name}`], name).toMatchObject({ scope: "machine" });
    }
  });
});
