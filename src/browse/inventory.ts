import { type ArchiveEntry, groupResource } from "../api/index.ts";
import { visitArchive } from "../engines/restore/index.ts";
import { AppError } from "../errors.ts";
import { storedFile } from "../observe/index.ts";
import type { BrowsePlace } from "./place.ts";
import type { Rights } from "./rights.ts";

/** How many objects of each kind a backup holds, by namespace; "" is the whole cluster. */
export type Inventory = readonly {
  readonly namespace: string;
  readonly kinds: readonly { readonly resource: string; readonly objects: number }[];
}[];

/** The archive of a backup as it lies in its location. */
export async function archiveOf(
  place: BrowsePlace,
  name: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const bytes = await storedFile(place, { kind: "BackupContents", name }, signal);
  if (bytes) return bytes;
  throw new AppError("DOWNLOAD_FAILED", `the storage location has no archive of backup "${name}"`);
}

/** Counts the objects of a backup that the asker may read. Holds a number for each kind in each namespace. */
export async function inventoryOf(
  place: BrowsePlace,
  name: string,
  rights: Rights,
  signal: AbortSignal,
): Promise<Inventory> {
  const counts = new Map<string, { readonly entry: ArchiveEntry; objects: number }>();
  await eachEntry(place, name, signal, (entry) => {
    const key = `${entry.namespace ?? ""}/${groupResource(entry)}`;
    const known = counts.get(key);
    if (known) known.objects += 1;
    else counts.set(key, { entry, objects: 1 });
  });
  const byNamespace = new Map<string, { resource: string; objects: number }[]>();
  for (const { entry, objects } of counts.values()) {
    if (!(await rights.mayRead(entry))) continue;
    const namespace = entry.namespace ?? "";
    const those = byNamespace.get(namespace) ?? [];
    byNamespace.set(namespace, those);
    those.push({ resource: groupResource(entry), objects });
  }
  return [...byNamespace]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([namespace, found]) => ({
      namespace,
      kinds: found.toSorted((a, b) => (a.resource < b.resource ? -1 : 1)),
    }));
}

/** Names held at most: those of one namespace. */
const maxNames = 200_000;

/** The objects of one namespace that the asker may read, as `resource/name`. */
export async function namesIn(
  place: BrowsePlace,
  name: string,
  { namespace, rights }: { readonly namespace: string; readonly rights: Rights },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = new Map<string, { readonly entry: ArchiveEntry; readonly names: string[] }>();
  let total = 0;
  await eachEntry(place, name, signal, (entry) => {
    if (entry.namespace !== namespace || total >= maxNames) return;
    total += 1;
    const key = groupResource(entry);
    const known = found.get(key) ?? { entry, names: [] };
    found.set(key, known);
    known.names.push(entry.name);
  });
  const names: string[] = [];
  for (const [resource, { entry, names: those }] of [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (await rights.mayRead(entry)) names.push(...those.toSorted().map((one) => `${resource}/${one}`));
  }
  return names;
}

async function eachEntry(
  place: BrowsePlace,
  name: string,
  signal: AbortSignal,
  hear: (entry: ArchiveEntry) => void,
): Promise<void> {
  const wants = (entry: ArchiveEntry) => {
    hear(entry);
    return false; // its name says enough, and nothing of it is unpacked
  };
  const items = visitArchive(await archiveOf(place, name, signal), wants, signal);
  for await (const _item of items) continue;
}
