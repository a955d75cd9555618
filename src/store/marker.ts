import { createHash, randomUUID } from "node:crypto";
import { AppError } from "../errors.ts";
import type { Store } from "./store.ts";

/** Where the cluster remembers by which marker it knows the store of a location: `ID PLACE`. */
export const markerAnnotation = "headway.dev/store-marker";

/** Whether a store must have the marker that its location remembers; `new` makes the bucket where that is a folder. */
export type OpenHow = "checked" | "unchecked" | "new";

/** What of a BackupStorageLocation says which store it means, and by which marker that is known. */
export interface MarkedLocation {
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>> | null | undefined;
  };
  readonly spec?:
    | {
        readonly provider: string;
        readonly objectStorage: { readonly bucket: string; readonly prefix?: string | undefined };
        readonly config?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
}

/** A marker that the cluster remembers. */
export interface KnownMarker {
  readonly id: string;
  /** False when the location has pointed elsewhere since. */
  readonly isHere: boolean;
}

/** A folder that upstream's servers accept at the top of a bucket, and which they no longer use. */
const folder = "metadata/";
const start = "headway-location-";
const idPattern = /^[0-9a-z]([-0-9a-z]{0,62}[0-9a-z])?$/;

/** The marker that the cluster remembers for a location; undefined when there is none. */
export function knownMarker(location: MarkedLocation): KnownMarker | undefined {
  const [id = "", place] = (location.metadata.annotations?.[markerAnnotation] ?? "").split(" ");
  return idPattern.test(id) ? { id, isHere: place === placeOf(location) } : undefined;
}

/** What to remember of a location whose store has this marker. */
export function markerNote(location: MarkedLocation, id: string): string {
  return `${id} ${placeOf(location)}`;
}

/** Whether a store has this marker. */
export async function hasMarker(store: Store, id: string, signal?: AbortSignal): Promise<boolean> {
  return (await store.head(keyOf(id), signal)) !== undefined;
}

/** Some marker of a store, always the same one; undefined when there is none. */
export async function findMarker(store: Store, signal?: AbortSignal): Promise<string | undefined> {
  for await (const entry of store.list(folder + start, { delimiter: "/" }, signal)) {
    if (!("object" in entry)) continue;
    const id = entry.object.key.slice(folder.length + start.length);
    if (idPattern.test(id)) return id;
  }
  return undefined;
}

/** Leaves a new marker in a store. Two clusters that do so at a time leave two, and each knows its own. */
export async function writeMarker(store: Store, signal?: AbortSignal): Promise<string> {
  const id = randomUUID();
  const text = "By this object Headway knows the store of a backup location. Keep it where it is.\n";
  await store.put(keyOf(id), Buffer.from(text), signal);
  return id;
}

/** Refuses a store that is not the one in which the cluster saw the location's marker: one that is not mounted looks empty. */
export async function checkMarker(
  store: Store,
  location: MarkedLocation,
  signal?: AbortSignal,
): Promise<void> {
  const known = knownMarker(location);
  if (!known?.isHere || (await hasMarker(store, known.id, signal))) return;
  throw new AppError("STORE_REPLACED", replaced(location.metadata.name, store.place, known.id));
}

/** The words for a store without the marker that it had. */
export function replaced(location: string, place: string, id: string): string {
  return `${place} does not have "${keyOf(id)}" any more, by which location "${location}" is known: it is not mounted, or another store. Bring the right one back, or take this one with: headway location adopt ${location}`;
}

function keyOf(id: string): string {
  return `${folder}${start}${id}`;
}

/** Credentials may change; what is left says where the store is. */
function placeOf({ spec }: MarkedLocation): string {
  const { provider = "", objectStorage, config = {} } = spec ?? {};
  const settings = Object.entries(config).map(([key, value]) => `${key}=${value}`);
  const bare = provider.replace(/^(velero\.io|headway\.dev)\//, "");
  const facts = [bare, objectStorage?.bucket, objectStorage?.prefix ?? "", settings.sort()];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16);
}
