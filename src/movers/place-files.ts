import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import type { Place } from "./mover.ts";

/** Files that a mover reads about its place; undefined where it needs none. */
export interface PlaceFiles {
  /** Certificates to trust. */
  readonly caFile?: string;
  /** What must not be an argument: Google's credentials, or Azure's certificate with its key. */
  readonly keyFile?: string;
}

/** Writes them into a private folder, named after what they hold: bounded by the places in use. */
export async function writePlaceFiles(folder: string, place: Place): Promise<PlaceFiles> {
  const { ca, key } = textsOf(place);
  if (ca === undefined && key === undefined) return {};
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const write = async (text: string, ending: string) => {
    const name = createHash("sha256").update(text).digest("hex").slice(0, 32);
    const path = join(folder, `${name}.${ending}`);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  return {
    ...(ca !== undefined && { caFile: await write(ca, "ca.pem") }),
    ...(key !== undefined && { keyFile: await write(key, "key") }),
  };
}

function textsOf(place: Place): { readonly ca?: string | undefined; readonly key?: string | undefined } {
  switch (place.kind) {
    case "filesystem":
      return {};
    case "s3":
      return { ca: place.caCert };
    case "azure":
      return {
        ca: trusted(place.caCert),
        key: place.access.by === "certificate" ? place.access.pem : undefined,
      };
    case "gcs":
      return { ca: trusted(place.caCert), key: place.credentials };
  }
}

/** Tokens come from servers with the usual certificates, whatever the store has. */
function trusted(caCert: string | undefined): string | undefined {
  return caCert === undefined ? undefined : [...rootCertificates, caCert].join("\n");
}
