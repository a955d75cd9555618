import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BackupStorageLocation } from "../api/index.ts";
import type { Plugins } from "../plugins/index.ts";
import { type LocationSpec, ownProvider, prefixed, type Store } from "../store/index.ts";

/** Where a location says that a plugin serves it, though there is a store of our own for its provider. */
const storeAnnotation = "headway.dev/store";

/** Whether a store of our own serves a location. */
export function isOwnStore({ metadata, spec }: BackupStorageLocation): boolean {
  if (metadata.annotations?.[storeAnnotation] === "plugin") return false;
  return ownProvider(spec?.provider ?? "") !== undefined;
}

/** Opens the store of a location whose provider is a plugin; its secrets are files that only we can read. */
export async function openPluginStore(
  plugins: Plugins,
  spec: LocationSpec,
  tempDir: string,
  signal: AbortSignal,
): Promise<{ readonly store: Store; readonly close: () => Promise<void> }> {
  const { provider, bucket, prefix, caCert, credentials } = spec;
  const folder = await mkdtemp(join(tempDir, "headway-store-"));
  const file = join(folder, "credentials");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    if (credentials !== undefined) await writeFile(file, credentials, { mode: 0o600, encoding: "latin1" });
    const config = {
      ...spec.config,
      ...(prefix !== undefined && { prefix }),
      ...(caCert !== undefined && { caCert }),
      ...(credentials !== undefined && { credentialsFile: file }),
    };
    const { store, close } = await plugins.openObjectStore(provider, { bucket, config }, signal);
    return {
      store: prefixed(store, prefix ?? ""),
      close: async () => {
        await close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
