import { backupFolder, type Store } from "../../store/index.ts";
import type { Folder } from "./folder.ts";

/** Something that nobody can need, and why. */
export interface Removal {
  readonly what: "half-uploaded backup" | "unused repository";
  /** Everything below is removed. */
  readonly prefix: string;
  readonly objects: number;
  readonly bytes: number;
  readonly reason: string;
}

/** What is younger may still be written by somebody: uploads and the first backup of a repository take hours at most. */
const settledMs = 24 * 3_600_000;

/** What a repair would remove: nothing that is young, nothing whose age the store does not tell. */
export function planRepair(seen: {
  readonly halves: readonly { readonly name: string; readonly folder: Folder }[];
  readonly unused: readonly { readonly name: string; readonly folder: Folder }[];
  readonly nowMs: number;
}): readonly Removal[] {
  const isSettled = ({ newestMs }: Folder) => newestMs !== undefined && newestMs + settledMs < seen.nowMs;
  const sizes = ({ objects, bytes }: Folder) => ({ objects, bytes });
  return [
    ...seen.halves
      .filter(({ folder }) => isSettled(folder))
      .map(({ name, folder }) => ({
        what: "half-uploaded backup" as const,
        prefix: backupFolder(name),
        ...sizes(folder),
        reason: "it has neither metadata nor an archive, and nothing was added for a day",
      })),
    ...seen.unused
      .filter(({ folder }) => isSettled(folder))
      .map(({ name, folder }) => ({
        what: "unused repository" as const,
        prefix: `${name}/`,
        ...sizes(folder),
        reason: "every backup was read and none needs it, and nothing was added for a day",
      })),
  ];
}

/** Removes what was planned, looking once more: a folder that has changed since is left alone. */
export async function repair(
  store: Store,
  removals: readonly Removal[],
  onDone: (removal: Removal, isRemoved: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const removal of removals) {
    const isSame = await hasStayed(store, removal, signal);
    if (isSame) await store.deletePrefix(removal.prefix, signal);
    onDone(removal, isSame);
  }
}

async function hasStayed(
  store: Store,
  { prefix, objects, bytes }: Removal,
  signal: AbortSignal,
): Promise<boolean> {
  let [seenObjects, seenBytes] = [0, 0];
  for await (const entry of store.list(prefix, {}, signal)) {
    if (!("object" in entry)) continue;
    seenObjects += 1;
    seenBytes += entry.object.bytes ?? 0;
  }
  return seenObjects === objects && seenBytes === bytes;
}
