import { protobufFields } from "../../../packages/wire/index.ts";

/** A value as it lies on the wire: a number, or bytes. */
type Value = bigint | Uint8Array;

/** A message, read: the values of each field in their order. */
export type Message = ReadonlyMap<number, readonly Value[]>;

/** Writes a message field by field. Zeros and empty texts are left out, as proto3 does. */
export class MessageWriter {
  readonly #parts: Uint8Array[] = [];

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value, "utf8"));
  }

  bytes(field: number, value: Uint8Array): this {
    if (value.length > 0)
      this.#parts.push(varint(BigInt(field << 3) | 2n), varint(BigInt(value.length)), value);
    return this;
  }

  int(field: number, value: number | bigint): this {
    const whole = BigInt.asUintN(64, BigInt(value));
    if (whole !== 0n) this.#parts.push(varint(BigInt(field << 3)), varint(whole));
    return this;
  }

  /** A map of texts: one message of key and value an entry. */
  map(field: number, values: Readonly<Record<string, string>>): this {
    for (const [key, value] of Object.entries(values)) {
      const entry = new MessageWriter().text(1, key).text(2, value).done();
      this.#parts.push(varint(BigInt(field << 3) | 2n), varint(BigInt(entry.length)), entry);
    }
    return this;
  }

  done(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}

/** Reads a message; throws when the bytes are none. */
export function readMessage(bytes: Uint8Array): Message {
  const fields = new Map<number, Value[]>();
  for (const { number, value } of protobufFields(bytes)) {
    const list = fields.get(number);
    if (list) list.push(value);
    else fields.set(number, [value]);
  }
  return fields;
}

/** The last text of a field, or "". */
export function textOf(message: Message, field: number): string {
  const value = message.get(field)?.at(-1);
  return value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : "";
}

/** The last bytes of a field, or none. */
export function bytesOf(message: Message, field: number): Uint8Array {
  const value = message.get(field)?.at(-1);
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/** All texts of a field. */
export function textsOf(message: Message, field: number): string[] {
  return (message.get(field) ?? []).flatMap((value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : [],
  );
}

/** All messages of a field. */
export function messagesOf(message: Message, field: number): Message[] {
  return (message.get(field) ?? []).flatMap((value) =>
    value instanceof Uint8Array ? readMessage(value) : [],
  );
}

/** The last number of a field, signed, or 0. */
export function intOf(message: Message, field: number): bigint {
  const value = message.get(field)?.at(-1);
  return typeof value === "bigint" ? BigInt.asIntN(64, value) : 0n;
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
