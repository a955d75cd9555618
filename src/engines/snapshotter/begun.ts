import { createHash } from "node:crypto";
import { type Backup, kinds } from "../../api/index.ts";
import { type Client, resourceOf } from "../../kube/index.ts";

/** A snapshot that a plugin was asked for and whose id is not known yet. */
export interface Begun {
  readonly volume: string;
  readonly location: string;
  readonly volumeID: string;
  readonly volumeAZ: string;
  readonly at: string;
}

const backups = resourceOf(kinds.Backup);
const prefix = "begun.headway.dev/";

/**
 * Which snapshots of a backup are being asked for, kept on the Backup itself: an operator that is killed before the
 * plugin has answered leaves a trace. Each entry is there only during the call, so their number is that of the calls.
 */
export class BegunBook {
  readonly #client: Pick<Client, "get" | "patch">;
  readonly #backup: Backup;

  constructor(client: Pick<Client, "get" | "patch">, backup: Backup) {
    this.#client = client;
    this.#backup = backup;
  }

  /** What an earlier process left; none when the Backup is another one now. */
  async read(signal: AbortSignal): Promise<readonly Begun[]> {
    const { name, namespace, uid } = this.#backup.metadata;
    const now = await this.#client.get<Backup>(backups, name, { namespace }, signal);
    return now.metadata.uid === uid ? readBegun(now.metadata.annotations) : [];
  }

  begin(begun: Begun, signal: AbortSignal): Promise<void> {
    return this.#write(begun.volume, JSON.stringify(begun), signal);
  }

  end(volume: string, signal: AbortSignal): Promise<void> {
    return this.#write(volume, null, signal);
  }

  async #write(volume: string, value: string | null, signal: AbortSignal): Promise<void> {
    const { name, namespace, uid } = this.#backup.metadata;
    const body = { metadata: { uid, annotations: { [begunKey(volume)]: value } } };
    await this.#client.patch(backups, name, { type: "merge", body }, { namespace }, signal);
  }
}

/** The annotation of a volume; a volume's own name may be too long for one. */
export function begunKey(volume: string): string {
  return `${prefix}${createHash("sha256").update(volume).digest("hex").slice(0, 16)}`;
}

/** Reads the annotations back; whatever else is there is passed over. */
export function readBegun(annotations: Readonly<Record<string, string>> | undefined): readonly Begun[] {
  return Object.entries(annotations ?? {}).flatMap(([key, text]) => {
    if (!key.startsWith(prefix)) return [];
    try {
      const one = JSON.parse(text) as Begun; // each field is looked at in the next line
      const texts = [one.volume, one.location, one.volumeID, one.volumeAZ, one.at];
      return texts.every((field) => typeof field === "string") && key === begunKey(one.volume) ? [one] : [];
    } catch {
      return []; // somebody else's annotation
    }
  });
}
