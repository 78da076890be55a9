import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { downloadOutput } from "../../../src/core/outputs/checkpointsOutput.ts";
import { OUTPUTS } from "../../../src/core/outputs/outputs.ts";

describe("the schemas in docs/json", () => {
  it("are those of the code, one an output", () => {
    const names = OUTPUTS.map(({ name }) => `${name}.schema.json`);
    expect(readdirSync("docs/json").sort()).toEqual(names.toSorted());
    for (const output of OUTPUTS) {
      const committed: unknown = JSON.parse(
        readFileSync(`docs/json/${output.name}.schema.json`, "utf8"),
      );
      expect(output.jsonSchema()).toEqual(committed);
    }
  });

  it("name their format and version, and let a later program add fields", () => {
    for (const output of OUTPUTS) {
      const text = JSON.stringify(output.jsonSchema());
      expect(text).toContain(`"const":"tinker-rl.${output.name}/${output.version}"`);
      expect(text).not.toContain('"additionalProperties":false');
    }
  });
});

describe("an output", () => {
  const file = { name: "a", sizeBytes: 1, sha256: "00" };

  it("holds nothing but what its schema names, however deep", () => {
    const files = [{ ...file, signedUrl: "https://storage/a?signature" }];
    const weights = { path: "tinker://a", folder: "/w", files, key: "tml-a" };
    expect(downloadOutput.of(weights)).toEqual({
      format: "tinker-rl.download/1",
      path: "tinker://a",
      folder: "/w",
      files: [file],
    });
  });

  it("of a wrong shape is a fault of the program, never printed", () => {
    const odd = { path: "tinker://a", folder: "/w", files: [{ ...file, sizeBytes: -1 }] };
    expect(() => downloadOutput.of(odd)).toThrow(z.ZodError);
  });
});
