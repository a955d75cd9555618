import { AppError } from "../../errors.ts";
import { repositoryFolder, type Store } from "../../store/index.ts";

/** The object by which upstream (1.17 and newer) knows a kopia repository that it has set up. */
const mark = "udmrepo.Repository";
const formatBlob = "kopia.repository";
/** The format object has a few hundred bytes. */
const limitBytes = 65_536;

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
  const uniqueID = uniqueIdOf(await textOf(await store.get(`${folder}${formatBlob}${suffix}`, signal)));
  if (uniqueID === undefined) {
    throw new AppError("MOVER_OUTPUT", `"${folder}${formatBlob}" in ${store.place} has no unique id`);
  }
  await store.put(key, Buffer.from(JSON.stringify({ uniqueID })), signal);
}

/** The id in kopia's format object, which is JSON in the clear; base64, as the mark has it. */
export function uniqueIdOf(text: string): string | undefined {
  try {
    const { uniqueID } = (JSON.parse(text) ?? {}) as { uniqueID?: unknown }; // checked in the next line
    return typeof uniqueID === "string" && /^[A-Za-z0-9+/]+=*$/.test(uniqueID) ? uniqueID : undefined;
  } catch {
    return undefined; // no JSON: not a repository of kopia
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limitBytes) break;
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString();
}
