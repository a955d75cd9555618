import { isRecord, type KubeObject } from "../api/index.ts";
import { builtIn, type Client, type Clock, isAlreadyExists, isNotFound } from "../kube/index.ts";
import type { Told } from "./told.ts";

/** What one receiver knew when it was written down (epoch ms). */
export interface SinkRecord {
  readonly savedAt: number;
  readonly told: Readonly<Record<string, Told>>;
}

/** What earlier processes left. */
interface Loaded {
  readonly sinks: ReadonlyMap<string, SinkRecord>;
  /** The test that was answered last. */
  readonly tested: string | undefined;
}

/** What a record needs. */
export interface RecordOptions {
  readonly client: Pick<Client, "get" | "create" | "patch">;
  readonly namespace: string;
  readonly clock: Clock;
  readonly content: () => Readonly<Record<string, string>>;
  readonly onError: (error: unknown) => void;
}

/** The ConfigMap with what was told, and how it goes. */
export const recordName = "headway-notified";
/** Several changes cost one write. */
const saveAfterMs = 2_000;
/** Of what is over so much is kept: enough that a restart in the same moment tells nothing twice. */
const mostEnded = 100;
/** Of all of it; the API server refuses objects beyond 1 MiB, and there are twenty receivers at most. */
const mostTold = 300;

/** Writes down what was told, so that the next process neither repeats nor forgets it. */
export class NotifiedRecord {
  readonly #options: RecordOptions;
  #cancel: (() => void) | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: RecordOptions) {
    this.#options = options;
  }

  /** What earlier processes told, by receiver; nothing when that cannot be known. */
  async load(signal: AbortSignal): Promise<Loaded> {
    const { client, namespace, onError } = this.#options;
    try {
      type Stored = KubeObject & { readonly data?: Readonly<Record<string, string>> };
      const { data } = await client.get<Stored>(builtIn.configMaps, recordName, { namespace }, signal);
      return { sinks: readRecord(data?.["told"]), tested: testedIn(data?.["test"]) };
    } catch (error) {
      if (!isNotFound(error) && !signal.aborted) onError(error);
      return { sinks: new Map(), tested: undefined };
    }
  }

  /** Something changed: it is written soon. */
  touch(): void {
    this.#cancel ??= this.#options.clock.after(saveAfterMs, () => {
      this.#cancel = undefined;
      void this.save(AbortSignal.timeout(10_000));
    });
  }

  /** Writes now. */
  save(signal: AbortSignal): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#saving = this.#saving
      .then(() => this.#write(signal))
      .catch((error) => this.#options.onError(error));
    return this.#saving;
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { client, namespace, content } = this.#options;
    const data = content();
    const body = { type: "merge", body: { data } } as const;
    try {
      await client.patch(builtIn.configMaps, recordName, body, { namespace }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const metadata = { name: recordName, namespace, labels: { "app.kubernetes.io/part-of": "headway" } };
      const made = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
      await client.create(builtIn.configMaps, made, { namespace }, signal).catch((second: unknown) => {
        if (!isAlreadyExists(second)) throw second; // the next write patches it
      });
    }
  }
}

/** What is kept of what a receiver knows: all that still runs, and the newest of what is over. */
export function keptOf(told: ReadonlyMap<string, Told>): Readonly<Record<string, Told>> {
  const all = [...told];
  const ended = all.filter(([, one]) => one.ended).slice(-mostEnded);
  const open = all
    .filter(([, one]) => !one.ended && Object.keys(one).length > 0)
    .slice(-(mostTold - mostEnded));
  return Object.fromEntries([
    ...ended.map(([key]) => [key, { started: true, ended: true }] as const),
    ...open,
  ]);
}

/** Reads what was written; what is not understood was never told. */
function readRecord(text: string | undefined): ReadonlyMap<string, SinkRecord> {
  const found = new Map<string, SinkRecord>();
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? "{}");
  } catch {
    return found; // a record that is no JSON is no record: everything before now is old
  }
  for (const [name, one] of Object.entries(isRecord(stored) ? stored : {})) {
    if (!isRecord(one) || typeof one["savedAt"] !== "number" || !isRecord(one["told"])) continue;
    const told = Object.entries(one["told"]).flatMap(([key, value]) => {
      const read = readTold(value);
      return read ? [[key, read] as const] : [];
    });
    found.set(name, { savedAt: one["savedAt"], told: Object.fromEntries(told) });
  }
  return found;
}

function testedIn(text: string | undefined): string | undefined {
  try {
    const found: unknown = JSON.parse(text ?? "null");
    return isRecord(found) && typeof found["id"] === "string" ? found["id"] : undefined;
  } catch {
    return undefined; // then the test is made once more
  }
}

function readTold(value: unknown): Told | undefined {
  if (!isRecord(value)) return undefined;
  const { started, stalled, late, ended, dueBy, message, shown, shownAt } = value;
  const { channel, ts } = isRecord(message) ? message : {};
  return {
    ...(started === true && { started }),
    ...(typeof stalled === "number" && { stalled }),
    ...(late === true && { late }),
    ...(ended === true && { ended }),
    ...(typeof dueBy === "number" && { dueBy }),
    ...(typeof channel === "string" && typeof ts === "string" && { message: { channel, ts } }),
    ...(typeof shown === "string" && { shown }),
    ...(typeof shownAt === "number" && { shownAt }),
  };
}
