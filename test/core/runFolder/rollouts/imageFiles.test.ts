import { describe, expect, it } from "vitest";
import {
  readImageAddress,
  storeImages,
} from "../../../../src/core/runFolder/rollouts/imageFiles.ts";
import { createFileSystem } from "../../../../src/node/fileSystem.ts";
import { sha256 } from "../../../../src/node/hash.ts";
import { folderOfThisTest } from "../../../fakes/onDisk.ts";
import { aPng, pngBytes } from "../../images/someImages.ts";
import { createMemoryFileSystem } from "../memoryFileSystem.ts";

const file = aPng(224, 150, "pixels");
const name = `${sha256(file.bytes)}.png`;

function setUp() {
  const fileSystem = createMemoryFileSystem();
  return { fileSystem, place: { fileSystem, folder: "/run", sha256 } };
}

describe("images in a run folder", () => {
  it("are named by their content and stored once", async () => {
    const { fileSystem, place } = setUp();
    const image = { file, tokens: 70 };
    expect(await storeImages([image, image], place)).toEqual([
      { file: name, width: 224, height: 150, tokens: 70 },
      { file: name, width: 224, height: 150, tokens: 70 },
    ]);
    expect([...fileSystem.files.keys()]).toEqual([`/run/images/${name}`]);
    fileSystem.allowedWrites = 0;
    await storeImages([image], place);
    expect(await readImageAddress(name, place)).toBe(`data:image/png;base64,${file.base64}`);
  });

  it("also get their folder on disk", async () => {
    const folder = folderOfThisTest();
    const disk = createFileSystem();
    const place = { fileSystem: disk.within(folder), folder, sha256 };
    await storeImages([{ file, tokens: 70 }], place);
    expect(await readImageAddress(name, place)).toContain(file.base64);
    await disk.close();
  });

  it("are not shown if their content does not match their name", async () => {
    const { fileSystem, place } = setUp();
    await storeImages([{ file, tokens: 70 }], place);
    fileSystem.files.set(`/run/images/${name}`, aPng(224, 150, "others").bytes);
    await expect(readImageAddress(name, place)).rejects.toMatchObject({ code: "image-invalid" });
    const script = new TextEncoder().encode("<svg onload='steal()'/>");
    const asPng = `${sha256(script)}.png`;
    fileSystem.files.set(`/run/images/${asPng}`, script);
    await expect(readImageAddress(asPng, place)).rejects.toMatchObject({ code: "image-invalid" });
  });

  it("are not shown if they need more memory than a page should use", async () => {
    const { fileSystem, place } = setUp();
    const bytes = pngBytes(22_000, 22_000);
    const huge = `${sha256(bytes)}.png`;
    fileSystem.files.set(`/run/images/${huge}`, bytes);
    await expect(readImageAddress(huge, place)).rejects.toThrow(
      `The image ${huge} of the run folder is 22000 x 22000 pixels, too many to show.`,
    );
  });

  it.each(["../run.json", `../${name}`, `${name}.svg`, "", "a".repeat(64)])(
    "are found only by valid names: %s is refused",
    async (other) => {
      const { place } = setUp();
      await expect(readImageAddress(other, place)).rejects.toMatchObject({ code: "image-invalid" });
    },
  );
});
