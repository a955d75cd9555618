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
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    const field = Number(tag >> 3n);
    if (field === 0) throw new Error("a field has no number");
    const value = reader.value(Number(tag & 7n));
    const list = fields.get(field);
    if (list) list.push(value);
    else fields.set(field, [value]);
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

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error("a number is cut off");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error("a number is too long");
  }

  value(wire: number): Value {
    switch (wire) {
      case 0:
        return this.varint();
      case 1:
        return this.#take(8);
      case 2:
        return this.#take(Number(this.varint()));
      case 5:
        return this.#take(4);
      default:
        throw new Error(`wire type ${wire} is not known`);
    }
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Error("a field is cut off");
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}
