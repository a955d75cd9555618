/** The widespread hash without a key: whoever knows it makes 2^n names of one hash out of n pairs of blocks. */
export function fnv1a(bytes: Uint8Array, start = Math.imul(0x811c9dc5, 0x01000193)): number {
  let value = start;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193);
  return value;
}

/** Names that all have one hash: 2^pairs of them. */
export function collidingNames(pairs: number): string[] {
  let names = [""];
  let state = fnv1a(Buffer.alloc(0));
  for (let pair = 0; pair < pairs; pair += 1) {
    const seen = new Map<number, string>();
    for (let n = 0; ; n += 1) {
      // Far apart: neighbours hardly ever collide.
      const block = (Math.imul(n, 0x9e3779b1) >>> 0).toString(36).padStart(7, "0");
      let after = state;
      for (let i = 0; i < block.length; i += 1) after = Math.imul(after ^ block.charCodeAt(i), 0x01000193);
      const other = seen.get(after);
      seen.set(after, block);
      if (other === undefined) continue;
      names = names.flatMap((name) => [name + other, name + block]);
      state = after;
      break;
    }
  }
  return names;
}
