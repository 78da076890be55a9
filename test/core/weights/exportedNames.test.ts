import { expect, it } from "vitest";
import { checkExportedNames } from "../../../src/core/weights/exportedNames.ts";

it("accepts plain names, also in folders, and sorts them", () => {
  const names = [
    "adapter_model.safetensors",
    "adapter_config.json",
    "merged/model-00001.safetensors",
  ];
  expect(checkExportedNames(names)).toEqual([...names].sort());
});

it("omits files that are not data, because loading a pickle, a program, or a page runs code", () => {
  const data = ["adapter_config.json", "adapter_model.safetensors"];
  const others = ["adapter_model.bin", "model.pt", "setup.py", "run.sh", "index.html", "README.md"];
  expect(checkExportedNames([...data, ...others, "x.safetensors.exe"])).toEqual(data);
});

it.each(["adapter_config.json", "adapter_model.safetensors"])(
  "refuses a list without %s, which is required for loading",
  (missing) => {
    const all = ["adapter_config.json", "adapter_model.safetensors", "adapter_model.bin"];
    const listed = all.filter((name) => name !== missing);
    expect(() => checkExportedNames(listed)).toThrow(`it has no ${missing}`);
  },
);

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
])("refuses %j, which leads out of the folder or is invalid on some system", (name) => {
  expect(() => checkExportedNames(["adapter_config.json", name])).toThrow(
    expect.objectContaining({ code: "download-unsafe" }),
  );
});

it("refuses two names for the same file, and oversized lists", () => {
  expect(() => checkExportedNames(["A.json", "a.json"])).toThrow("a.json");
  expect(() => checkExportedNames([])).toThrow("0 files");
  const many = Array.from({ length: 1001 }, (_, i) => `${i}.json`);
  expect(() => checkExportedNames(many)).toThrow("1001 files");
});
