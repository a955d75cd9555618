import { isRecord } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { repositoryFolder, type Store, storedJson } from "../../store/index.ts";

/** The object by which upstream (1.17 and newer) knows a kopia repository that it has set up. */
const mark = "udmrepo.Repository";
const formatBlob = "kopia.repository";
/** The format object has a few hundred bytes. */
const limits = { packedBytes: 65_536, bytes: 65_536, values: 1_000, depth: 16 };

/**
 * Marks a kopia repository as upstream does, unless it is marked: a server of upstream then takes it as its own.
 * Kopia adds an ending to the names of files (`suffix`), not to those of objects in a bucket.
 */
export async function markUnified(
  store: Pick<Store, "get" | "put" | "head" | "place">,
  volumeNamespace: string,
  suffix: "" | ".f",
  signal: AbortSignal,
): Promise<void> {
  const folder = repositoryFolder("kopia", volumeNamespace);
  const key = `${folder}${mark}${suffix}`;
  if ((await store.head(key, signal)) !== undefined) return;
  const format = `${folder}${formatBlob}${suffix}`;
  const uniqueID = uniqueIdOf(await storedJson(store, format, { limits, packed: false }, signal));
  if (uniqueID === undefined) {
    throw new AppError("MOVER_OUTPUT", `"${format}" in ${store.place} has no unique id`);
  }
  await store.put(key, Buffer.from(JSON.stringify({ uniqueID })), signal);
}

/** The id in kopia's format object, which is JSON in the clear; base64, as the mark has it. */
export function uniqueIdOf(format: unknown): string | undefined {
  const uniqueID = isRecord(format) ? format["uniqueID"] : undefined;
  return typeof uniqueID === "string" && /^[A-Za-z0-9+/]{1,256}=*$/.test(uniqueID) ? uniqueID : undefined;
}
