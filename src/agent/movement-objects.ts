import type { Backup, Restore } from "../api/index.ts";
import { datapathResources, isUpload, type Movement } from "../engines/datapath/index.ts";
import { resources } from "../engines/podvolume/index.ts";
import { type Client, isConflict, isNotFound, type Log, type Resource } from "../kube/index.ts";
import { askerKind, askerOf, refusalOf } from "./authority.ts";

/** The objects of movements at the API server, and of those who ask for them. */
export class MovementObjects {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #log: Log;

  constructor(client: Client, namespace: string, log: Log) {
    this.#client = client;
    this.#namespace = namespace;
    this.#log = log;
  }

  /** Why a movement must not be run. Asks the server itself: what a watch has not seen yet may be the very reason to run. */
  async refusalOf(movement: Movement, signal: AbortSignal): Promise<string | undefined> {
    const asker = askerOf(movement);
    const resource = askerKind(movement.kind) === "Backup" ? resources.backups : resources.restores;
    const place = { namespace: this.#namespace };
    const found =
      asker && (await orNothing(this.#client.get<Backup | Restore>(resource, asker.name, place, signal)));
    return refusalOf(movement.kind, asker, found);
  }

  /** Leaves a movement alone, and says why in its status: once, since the same words are not written twice. */
  async leave(movement: Movement, message: string, signal: AbortSignal): Promise<void> {
    if (movement.status?.message === message) return;
    const { name, uid } = movement.metadata;
    this.#log("warning", `${movement.kind} "${name}" is left alone: ${message}`);
    await this.patch(movement, { metadata: { uid }, status: { message } }, signal);
  }

  newest(movement: Movement, signal: AbortSignal): Promise<Movement | undefined> {
    const { name } = movement.metadata;
    const place = { namespace: this.#namespace };
    return orNothing(this.#client.get<Movement>(resourceOf(movement), name, place, signal));
  }

  /** A change by somebody else is looked at when the watch brings it. */
  async patch(movement: Movement, body: object, signal: AbortSignal): Promise<void> {
    const { name } = movement.metadata;
    const place = { namespace: this.#namespace };
    await this.#client
      .patch(resourceOf(movement), name, { type: "merge", body }, place, signal)
      .catch((error: unknown) => {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      });
  }
}

function resourceOf(movement: Movement): Resource {
  return isUpload(movement) ? datapathResources.dataUploads : datapathResources.dataDownloads;
}

async function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
