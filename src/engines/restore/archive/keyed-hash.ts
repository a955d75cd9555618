/**
 * HalfSipHash-1-3: a hash with a secret key, for tables whose keys come out of an archive. Without the key nobody can
 * prepare names that fall into one slot, which would make a table of many names quadratic.
 */
export class KeyedHash {
  readonly #k0: number;
  readonly #k1: number;

  /** The key is 64 bits, as two numbers. */
  constructor(key: Uint32Array = crypto.getRandomValues(new Uint32Array(2))) {
    const [k0 = 0, k1 = 0] = key;
    [this.#k0, this.#k1] = [k0 | 0, k1 | 0];
  }

  /** 32 bits of a name in a group. */
  of(group: number, name: Uint8Array): number {
    let [v0, v1, v2, v3] = [this.#k0, this.#k1, 0x6c796765 ^ this.#k0, 0x74656462 ^ this.#k1];
    const round = (): void => {
      v0 = (v0 + v1) | 0;
      v1 = rotate(v1, 5) ^ v0;
      v0 = rotate(v0, 16);
      v2 = (v2 + v3) | 0;
      v3 = rotate(v3, 8) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = rotate(v3, 7) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = rotate(v1, 13) ^ v2;
      v2 = rotate(v2, 16);
    };
    const take = (word: number): void => {
      v3 ^= word;
      round();
      v0 ^= word;
    };
    take(group | 0);
    const whole = name.length & ~3;
    for (let at = 0; at < whole; at += 4) take(wordAt(name, at, 4));
    take(wordAt(name, whole, name.length - whole) | ((name.length + 4) << 24));
    v2 ^= 0xff;
    for (let n = 0; n < 3; n += 1) round();
    return (v1 ^ v3) >>> 0;
  }
}

function wordAt(bytes: Uint8Array, at: number, count: number): number {
  let word = 0;
  for (let n = 0; n < count; n += 1) word |= (bytes[at + n] ?? 0) << (8 * n);
  return word;
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}
