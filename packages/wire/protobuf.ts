/** A field as it lies on the wire: a number, or bytes. */
export interface ProtobufField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/** The fields of a protobuf message in their order; throws when the bytes are none. Copies nothing. */
export function* protobufFields(bytes: Uint8Array): Generator<ProtobufField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("a number is cut off");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error("a number is too long");
  };
  const take = (length: number): Uint8Array => {
    const end = at + length;
    if (end > bytes.length) throw new Error("a field is cut off");
    const part = bytes.subarray(at, end);
    at = end;
    return part;
  };
  const valueOf = (wire: bigint): bigint | Uint8Array => {
    switch (wire) {
      case 0n:
        return varint();
      case 1n:
        return take(8);
      case 2n:
        return take(Number(varint()));
      case 5n:
        return take(4);
      default:
        throw new Error(`wire type ${wire} is not known`);
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    if (number === 0) throw new Error("a field has no number");
    yield { number, value: valueOf(tag & 7n) };
  }
}
