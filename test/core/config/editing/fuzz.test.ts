import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { fuzzedText, uniformFrom, useAll } from "./fuzzedTexts.ts";

const sound = ["local", "hosted", "agents"].map((name) =>
  readFileSync(`examples/${name}/tinker-config.yaml`, "utf8"),
);

it("no text, however broken or hostile, makes editor help fail", () => {
  const uniform = uniformFrom(7);
  for (let index = 0; index < 150; index++) {
    const text = fuzzedText(index, uniform, sound, 2000);
    const path = uniform() < 0.2 ? "run.json" : "run.yaml";
    const offset = Math.floor(uniform() * (text.length + 1));
    expect(() => useAll(text, offset, path), JSON.stringify(text.slice(0, 200))).not.toThrow();
  }
});

it("every prefix of an example is handled", () => {
  for (const text of sound) {
    for (let end = 0; end <= text.length; end += 29) useAll(text.slice(0, end), end, "run.yaml");
  }
});
