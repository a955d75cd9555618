import type { BackupStorageLocation } from "../../api/index.ts";
import { type Client, isAlreadyExists, isNotFound } from "../../kube/index.ts";
import { defaultPassword, type Repository, repositoryPlace } from "../../movers/index.ts";
import { placeOf, readLocation, secretText } from "./location.ts";
import type { Uploader } from "./objects.ts";
import { resources } from "./resources.ts";

/** Which repository: one for each namespace, location and program. */
export interface RepositoryKey {
  readonly volumeNamespace: string;
  readonly location: string;
  readonly type: Uploader;
}

/** Upstream's Secret with the password of all repositories. */
const passwordSecret = { name: "velero-repo-credentials", key: "repository-password" };

/** Reads where a repository is and what opens it. */
export async function readRepository(
  client: Pick<Client, "get">,
  namespace: string,
  key: RepositoryKey,
  signal: AbortSignal,
): Promise<Repository> {
  const [location, password] = await Promise.all([
    client.get<BackupStorageLocation>(resources.locations, key.location, { namespace }, signal),
    repositoryPassword(client, namespace, signal),
  ]);
  const place = await placeOf(await readLocation(client, location, signal), signal);
  return { place: repositoryPlace(place, key.type, key.volumeNamespace), password };
}

/** The password of all repositories of a server. */
export function repositoryPassword(
  client: Pick<Client, "get">,
  namespace: string,
  signal: AbortSignal,
): Promise<string> {
  return secretText(client, { namespace, ...passwordSecret }, signal);
}

/** Makes the Secret with the password that upstream documents, unless there is one. */
export async function ensurePassword(
  client: Pick<Client, "get" | "create">,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const { name, key } = passwordSecret;
  try {
    await client.get(resources.secrets, name, { namespace }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace },
      type: "Opaque",
      data: { [key]: Buffer.from(defaultPassword).toString("base64") },
    };
    await client.create(resources.secrets, secret, {}, signal).catch((second: unknown) => {
      if (!isAlreadyExists(second)) throw second; // somebody was faster, and theirs counts
    });
  }
}
