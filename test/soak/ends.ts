import { type KubeObject, kinds } from "../../src/api/index.ts";
import { type Client, Informer, resourceOf } from "../../src/kube/index.ts";

type Watched = KubeObject & {
  readonly status?: {
    readonly phase?: string;
    readonly state?: string;
    readonly completionTimestamp?: string | null;
    readonly progress?: { readonly bytesDone?: number };
  };
};

interface Seen {
  readonly end: string | undefined;
  readonly bytes: number;
  /** A backup that is being deleted says so in the place of its end. */
  readonly isDeleting: boolean;
}

const watched = [
  "Backup",
  "Restore",
  "ActionSet",
  "MigMigration",
  "PodVolumeBackup",
  "PodVolumeRestore",
  "DataUpload",
  "DataDownload",
] as const;

/** Watches every run of a cluster and remembers what must not be: an end that changed, or bytes that fell. */
export class Ends {
  /** How many runs were seen to end. */
  ended = 0;
  readonly broken: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  constructor(client: Client, namespace: string) {
    for (const kind of watched) {
      const informer = new Informer<Watched, Seen>({
        client,
        resource: resourceOf(kinds[kind]),
        query: { namespace },
        project: ({ status = {} }) => ({
          end: endOf(status),
          bytes: status.progress?.bytesDone ?? 0,
          isDeleting: status.phase === "Deleting",
        }),
        onChange: (key, now, before) => this.#note(`${kind} ${key}`, now, before),
      });
      this.#running.push(informer.run(this.#stop.signal));
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  #note(name: string, now: Seen | undefined, before: Seen | undefined): void {
    if (!now || now.isDeleting) return;
    if (now.end !== undefined && before?.end === undefined) this.ended += 1;
    if (before?.end !== undefined && !before.isDeleting && now.end !== before.end)
      this.broken.push(`${name} ended twice: "${before.end}", then "${now.end ?? "not ended"}"`);
    if (before && now.bytes < before.bytes)
      this.broken.push(`${name} fell from ${before.bytes} to ${now.bytes} bytes`);
  }
}

/** The end that a status tells; undefined while there is none. */
function endOf({ phase, state, completionTimestamp }: NonNullable<Watched["status"]>): string | undefined {
  const told = phase ?? state ?? "";
  if (!/^(Completed|PartiallyFailed|Failed.*|Canceled|complete|failed)$/.test(told)) return undefined;
  return [told, completionTimestamp].filter(Boolean).join(" ");
}
