/** Messages of protobuf (proto3) by tables of their fields: their bytes, and what bytes hold. Fields that no table has are skipped. */

import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** How a value is read, and written from what may leave out more. */
interface Type<Read, Written = Read> {
  readonly wireType: WireType;
  /** What an absent field holds. */
  readonly initial: Read;
  read(reader: BinaryReader): Read;
  write(writer: BinaryWriter, value: Written): void;
}

interface Field<Read, Written = Read> {
  readonly number: number;
  /** What it holds when it is absent. */
  initial(): Read;
  /** `before` is what it held before this part of it, and may be changed. */
  read(reader: BinaryReader, wireType: WireType, before: Read): Read;
  write(writer: BinaryWriter, value: Written): void;
}

type Fields = Readonly<Record<string, Field<unknown>>>;

/** What the bytes of a message hold. */
export type Message<Of extends Fields> = {
  readonly [Name in keyof Of]: Of[Name] extends Field<infer Read, infer _> ? Read : never;
};

/** What a message is written from; what is absent is left out. */
export type WrittenMessage<Of extends Fields> = {
  readonly [Name in keyof Of]?:
    | (Of[Name] extends Field<infer _, infer Written> ? Written : never)
    | undefined;
};

export const text: Type<string> = {
  wireType: WireType.LengthDelimited,
  initial: "",
  read: (reader) => reader.string(true),
  write: (writer, value) => void writer.string(value),
};

export const bytes: Type<Uint8Array> = {
  wireType: WireType.LengthDelimited,
  initial: new Uint8Array(),
  read: (reader) => reader.bytes(),
  write: (writer, value) => void writer.bytes(value),
};

export const flag: Type<boolean> = {
  wireType: WireType.Varint,
  initial: false,
  read: (reader) => reader.bool(),
  write: (writer, value) => void writer.bool(value),
};

/** Of 32 or 64 bits, or one of an enumeration. */
export const integer: Type<number> = {
  wireType: WireType.Varint,
  initial: 0,
  read: (reader) => Number(reader.int64()),
  write: (writer, value) => void writer.int64(value),
};

export const double: Type<number> = {
  wireType: WireType.Bit64,
  initial: 0,
  read: (reader) => reader.double(),
  write: (writer, value) => void writer.double(value),
};

export function message<Of extends Fields>(fields: Of): Type<Message<Of>, WrittenMessage<Of>> {
  return {
    wireType: WireType.LengthDelimited,
    initial: initialOf(fields),
    read: (reader) => readFields(fields, reader, reader.uint32()),
    write: (writer, value) => void writer.bytes(encodeMessage(fields, value)),
  };
}

/** A field that is not written where it has the default of its type. */
export function field<Read, Written>(
  number: number,
  type: Type<Read, Written>,
): Field<Read, Written> {
  const { initial } = type;
  return {
    number,
    initial: () => initial,
    read: (reader) => type.read(reader),
    write: (writer, value) => {
      const isDefault =
        value instanceof Uint8Array ? value.length === 0 : (value as unknown) === initial;
      if (!isDefault) writeValue(writer, number, type, value);
    },
  };
}

/** A field that may be absent; a message, or one of several of which one is there. */
export function optional<Read, Written>(
  number: number,
  type: Type<Read, Written>,
): Field<Read | undefined, Written> {
  return {
    number,
    initial: () => undefined,
    read: (reader) => type.read(reader),
    write: (writer, value) => writeValue(writer, number, type, value),
  };
}

export function repeated<Read, Written>(
  number: number,
  type: Type<Read, Written>,
): Field<Read[], readonly Written[]> {
  const isPacked = type.wireType !== WireType.LengthDelimited;
  return {
    number,
    initial: () => [],
    read: (reader, wireType, all) => {
      const isPart = isPacked && wireType === WireType.LengthDelimited;
      const length = isPart ? reader.uint32() : 1;
      for (const end = reader.pos + length; reader.pos < end; ) all.push(type.read(reader));
      return all;
    },
    write: (writer, values) => {
      if (!isPacked) for (const value of values) writeValue(writer, number, type, value);
      else if (values.length > 0) {
        writer.tag(number, WireType.LengthDelimited).fork();
        for (const value of values) type.write(writer, value);
        writer.join();
      }
    },
  };
}

/** From texts. */
export function mapped<Read, Written>(
  number: number,
  type: Type<Read, Written>,
): Field<Map<string, Read>, ReadonlyMap<string, Written>> {
  const entry = { key: optional(1, text), value: optional(2, type) };
  return {
    number,
    initial: () => new Map(),
    read: (reader, _, all) => {
      const { key = "", value = type.initial } = readFields(entry, reader, reader.uint32());
      return all.set(key, value);
    },
    write: (writer, values) => {
      for (const [key, value] of values) {
        writeValue(writer, number, message(entry), { key, value });
      }
    },
  };
}

export function encodeMessage<Of extends Fields>(
  fields: Of,
  values: WrittenMessage<Of>,
): Uint8Array {
  const writer = new BinaryWriter();
  for (const [name, own] of Object.entries(fields)) {
    const value: unknown = values[name];
    if (value !== undefined) own.write(writer, value);
  }
  return writer.finish();
}

/** @throws for bytes that are no message */
export function decodeMessage<Of extends Fields>(fields: Of, from: Uint8Array): Message<Of> {
  return readFields(fields, new BinaryReader(from), from.length);
}

function readFields<Of extends Fields>(
  fields: Of,
  reader: BinaryReader,
  length: number,
): Message<Of> {
  const values: Record<string, unknown> = initialOf(fields);
  const byNumber = new Map(Object.entries(fields).map((entry) => [entry[1].number, entry]));
  for (const end = reader.pos + length; reader.pos < end; ) {
    const [number, wireType] = reader.tag();
    const [name, own] = byNumber.get(number) ?? [];
    if (name === undefined || own === undefined) reader.skip(wireType, number);
    else values[name] = own.read(reader, wireType, values[name]);
  }
  return values as Message<Of>;
}

function initialOf<Of extends Fields>(fields: Of): Message<Of> {
  const entries = Object.entries(fields).map(([name, { initial }]) => [name, initial()]);
  return Object.fromEntries(entries);
}

function writeValue<Written>(
  writer: BinaryWriter,
  number: number,
  type: Type<unknown, Written>,
  value: Written,
): void {
  writer.tag(number, type.wireType);
  type.write(writer, value);
}
