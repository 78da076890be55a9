import { expect, it } from "vitest";
import { checkExportedNames } from "../../../src/core/weights/exportedNames.ts";

it("takes plain names, also in folders, and sorts them", () => {
  const names = [
    "adapter_model.safetensors",
    "adapter_config.json",
    "merged/model-00001.safetensors",
  ];
  expect(checkExportedNames(names)).toEqual([...names].sort());
});

it.each([
  "../../.ssh/authorized_keys",
  "/etc/passwd",
  "a/../b",
  "C:\\windows\\x",
  "a\\b",
  ".bashrc",
  "a//b",
  "",
  "con",
  "aux.json",
  "a/b/c/d/e",
  "a\u202egnp.exe",
  "name.",
  "x".repeat(200),
])("refuses %j, which leads out of the folder or is no file on some system", (name) => {
  expect(() => checkExportedNames(["adapter_config.json", name])).toThrow(
    expect.objectContaining({ code: "download-unsafe" }),
  );
});

it("refuses two names of one file, and lists without an end", () => {
  expect(() => checkExportedNames(["A.json", "a.json"])).toThrow("a.json");
  expect(() => checkExportedNames([])).toThrow("0 files");
  const many = Array.from({ length: 1001 }, (_, i) => `${i}.json`);
  expect(() => checkExportedNames(many)).toThrow("1001 files");
});
