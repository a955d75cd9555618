/** Bytes as the status of a volume's copy shows them. */
export interface Bytes {
  readonly bytesDone?: number;
  /** Absent while it is not known. */
  readonly totalBytes?: number;
}

/**
 * Folds what a mover says into what was shown before, in this life or an earlier one: neither number falls, and as long
 * as the work goes on something is left to do.
 */
export function foldBytes(before: Bytes, said: { readonly done: number; readonly total?: number }): Bytes {
  const done = Math.max(before.bytesDone ?? 0, whole(said.done));
  const known = Math.max(before.totalBytes ?? 0, whole(said.total ?? 0));
  if (known === 0) return done === 0 ? {} : { bytesDone: done };
  // A file that grows under the mover pushes `done` past the total; only the end may show them equal.
  const total = Math.max(known, (before.bytesDone ?? 0) + 1);
  const shown = Math.min(done, total - 1);
  return { totalBytes: total, ...(shown > 0 && { bytesDone: shown }) };
}

/** What a copy that ended well shows: all of it. Zeros are left out, as Go does. */
export function finalBytes(bytes: number): Bytes {
  return bytes > 0 ? { totalBytes: bytes, bytesDone: bytes } : {};
}

function whole(value: number): number {
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}
