import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { decodeTensor, encodeTensor, vector } from "../../../../src/core/tinker/wire/tensors.ts";
import { DType, TensorSchema } from "../../../../src/core/tinker/wire/tinker_pb.ts";

function dense(bytes: number[], dtype: DType, shape: number[]) {
  return create(TensorSchema, {
    data: { case: "dense", value: Uint8Array.from(bytes) },
    dtype,
    shape: shape.map(BigInt),
  });
}

describe("tensors", () => {
  it("send integers as int64 and read them back, including negative ones", () => {
    const tensor = vector(Int32Array.of(1, -1, 2 ** 31 - 1, -(2 ** 31)));
    const message = create(TensorSchema, encodeTensor(tensor));
    expect(message.dtype).toBe(DType.INT64);
    expect(decodeTensor(message, "ids")).toEqual(tensor);
  });

  it("widen bfloat16 to float32", () => {
    const message = dense([0x80, 0x3f, 0xc0, 0xbf], DType.BFLOAT16, [2]);
    expect(decodeTensor(message, "x").values).toEqual(Float32Array.of(1, -1.5));
  });

  it("read int32", () => {
    const message = dense([7, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], DType.INT32, [2]);
    expect(decodeTensor(message, "x").values).toEqual(Int32Array.of(7, -1));
  });

  it("read bytes that start in the middle of a buffer", () => {
    const value = Uint8Array.of(9, 0, 0, 0x80, 0x3f).subarray(1);
    const message = create(TensorSchema, {
      data: { case: "dense", value },
      dtype: DType.FLOAT32,
      shape: [1n],
    });
    expect(decodeTensor(message, "x").values).toEqual(Float32Array.of(1));
  });

  it.each([
    ["a shape that does not match", dense([0, 0, 0, 0], DType.FLOAT32, [2]), /shape \[2\]/],
    ["a ragged length", dense([0, 0, 0], DType.FLOAT32, [1]), /not a multiple of 4/],
    ["an unknown element type", dense([], DType.UNSPECIFIED, [0]), /unknown element type/],
    [
      "an integer beyond 32 bits",
      dense([0, 0, 0, 0x80, 0, 0, 0, 0], DType.INT64, [1]),
      /beyond 32 bits at position 0/,
    ],
    ["a sparse tensor", create(TensorSchema), /not a dense tensor/],
  ])("reject %s", (_name, message, text) => {
    expect(() => decodeTensor(message, "x")).toThrow(text);
  });
});
