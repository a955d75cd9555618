import { isRecord } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Store, storedJson } from "../../store/index.ts";

/** The object by which upstream (1.17 and newer) knows a repository that it has set up. */
const mark = "udmrepo.Repository";
/** The format object has a few hundred bytes. */
const limits = { packedBytes: 65_536, bytes: 65_536, values: 1_000, depth: 16 };

/** A repository, its object of the format, and the ending that the mover gives to files but not to objects in a bucket. */
export interface Unified {
  readonly folder: string;
  readonly formatObject: string;
  readonly suffix: "" | ".f";
}

/** Marks a repository as upstream does, unless it is marked: a server of upstream then takes it as its own. */
export async function markUnified(
  store: Pick<Store, "get" | "put" | "head" | "place">,
  { folder, formatObject, suffix }: Unified,
  signal: AbortSignal,
): Promise<void> {
  const key = `${folder}${mark}${suffix}`;
  if ((await store.head(key, signal)) !== undefined) return;
  const format = `${folder}${formatObject}${suffix}`;
  const uniqueID = uniqueIdOf(await storedJson(store, format, { limits, packed: false }, signal));
  if (uniqueID === undefined) {
    throw new AppError("MOVER_OUTPUT", `"${format}" in ${store.place} has no unique id`);
  }
  await store.put(key, Buffer.from(JSON.stringify({ uniqueID })), signal);
}

/** The id in the format object, which is JSON in the clear; base64, as the mark has it. */
export function uniqueIdOf(format: unknown): string | undefined {
  const uniqueID = isRecord(format) ? format["uniqueID"] : undefined;
  return typeof uniqueID === "string" && /^[A-Za-z0-9+/]{1,256}=*$/.test(uniqueID) ? uniqueID : undefined;
}
