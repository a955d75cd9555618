/** The phase of any of Velero's objects; absent, null and empty mean New. */
export function veleroPhaseOf<P extends string>(
  status: { readonly phase?: P | "" | null } | null | undefined,
): P | "New" {
  return status?.phase || "New";
}

/** Bytes of a volume's copy. Go leaves zeros out: a missing count is 0, a missing or zero total is unknown. */
export function bytesOf(
  progress: { readonly totalBytes?: number | null; readonly bytesDone?: number | null } | null | undefined,
): { readonly done: number; readonly total?: number } {
  return counted(progress?.bytesDone, progress?.totalBytes);
}

/** Items of a backup or a restore, with zeros left out in the same way. */
export function itemsOf(
  progress:
    | {
        readonly totalItems?: number | null;
        readonly itemsBackedUp?: number | null;
        readonly itemsRestored?: number | null;
      }
    | null
    | undefined,
): { readonly done: number; readonly total?: number } {
  return counted(progress?.itemsBackedUp ?? progress?.itemsRestored, progress?.totalItems);
}

function counted(done: number | null | undefined, total: number | null | undefined) {
  return { done: done ?? 0, ...(total && { total }) };
}
