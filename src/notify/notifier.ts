import { type KubeObject, parseTimeMs } from "../api/index.ts";
import { messageOf } from "../errors.ts";
import { builtIn, type Client, type Clock, isNotFound, type Log, sleep, systemClock } from "../kube/index.ts";
import type { Frame, Observer } from "../observe/index.ts";
import { type NotifyConfig, parseConfig, type Sink } from "./config.ts";
import { deliver } from "./deliver.ts";
import { namespacesOf } from "./filter.ts";
import { keptOf, NotifiedRecord, type SinkRecord } from "./record.ts";
import { type Known, SinkRun } from "./sink-run.ts";
import { type TestResult, testSinks } from "./test-run.ts";

/** What a notifier needs. */
export interface NotifierOptions {
  readonly client: Pick<Client, "get" | "create" | "patch">;
  readonly observer: Pick<
    Observer,
    "subscribe" | "operation" | "operations" | "object" | "isAuthor" | "isOpen"
  >;
  /** The operator's: configuration, Secrets and record are here. */
  readonly namespace: string;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** The ConfigMap with the configuration, its key, and the annotation that asks for a test. */
export const configName = "headway-notifications";
const configKey = "config.yaml";
/** `RECEIVER/ID`, or `/ID` for all of them. */
export const testAnnotation = "headway.dev/notify-test";

/** How often the configuration is read: a watch of one object for the few days on which it changes is not worth a connection. */
const readEveryMs = 10_000;
/** What happened longer ago while nobody told it is no news. */
const newsMs = 3_600_000;

interface Running {
  readonly sink: Sink;
  readonly text: string;
  readonly run: SinkRun;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Tells receivers outside of the cluster how operations go, as the configuration names them. Only one process of a cluster may. */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #clock: Clock;
  readonly #running = new Map<string, Running>();
  readonly #record: NotifiedRecord;
  #before: ReadonlyMap<string, SinkRecord> = new Map();
  #config: NotifyConfig = { cluster: undefined, sinks: [], faults: [] };
  #text = "";
  #fault: string | undefined;
  #tested: string | undefined;
  #results: readonly TestResult[] | undefined;
  readonly #started: number;
  /** By uid: which operation it is now. Bounded by the operations. */
  readonly #ids = new Map<string, string>();

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#started = this.#clock.now();
    const { client, namespace, log } = options;
    this.#record = new NotifiedRecord({
      client,
      namespace,
      clock: this.#clock,
      content: () => this.#content(),
      onError: (error) => log("warning", "what was notified cannot be written down", { error }),
    });
  }

  /** Tells until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    ({ sinks: this.#before, tested: this.#tested } = await this.#record.load(signal));
    const leave = this.#options.observer.subscribe((frame) => this.#frame(frame));
    try {
      while (!signal.aborted) {
        await this.#configure(signal);
        await sleep(this.#clock, readEveryMs, signal).catch(() => undefined); // the loop ends by the signal
      }
    } finally {
      leave();
      const all = [...this.#running.values()];
      for (const { stop } of all) stop.abort();
      await Promise.all(all.map(({ ended }) => ended));
      if (all.length > 0) await this.#record.save(AbortSignal.timeout(5_000));
    }
  }

  #frame({ id, operation }: Frame): void {
    if (operation) this.#ids.set(keyOf(operation), id);
    for (const { run } of this.#running.values()) {
      if (operation) run.touch(keyOf(operation));
      else for (const key of run.told.keys()) if (this.#ids.get(key) === id) run.touch(key);
    }
    if (!operation) for (const [key, one] of this.#ids) if (one === id) this.#ids.delete(key);
  }

  #look(key: string): Known | undefined {
    const { observer } = this.#options;
    const id = this.#ids.get(key);
    const operation = id === undefined ? undefined : observer.operation(id);
    const object = id === undefined ? undefined : observer.object(id);
    if (id === undefined || !operation || keyOf(operation) !== key || !object) return undefined;
    return {
      operation,
      createdAt: parseTimeMs(object.metadata.creationTimestamp),
      about: namespacesOf(object),
    };
  }

  async #configure(signal: AbortSignal): Promise<void> {
    const { client, namespace, log } = this.#options;
    type Stored = KubeObject & { readonly data?: Readonly<Record<string, string>> };
    let found: Stored | undefined;
    try {
      found = await client.get<Stored>(builtIn.configMaps, configName, { namespace }, signal);
    } catch (error) {
      if (signal.aborted) return;
      // A moment without the API server is no reason to stop; a configuration that was taken away is.
      if (!isNotFound(error)) return this.#tellFault(`cannot be read: ${messageOf(error)}`);
    }
    const text = found?.data?.[configKey] ?? "";
    if (text !== this.#text) {
      this.#text = text;
      this.#config = parseConfig(text);
      this.#fault = undefined;
      for (const fault of this.#config.faults) log("warning", `ConfigMap ${configName}: ${fault}`);
      await this.#arrange();
      this.#record.touch();
    }
    const asked = found?.metadata.annotations?.[testAnnotation];
    if (asked !== undefined && asked !== this.#tested) await this.#runTest(asked, signal);
  }

  #tellFault(fault: string): void {
    if (this.#fault !== fault) this.#options.log("warning", `ConfigMap ${configName} ${fault}`);
    this.#fault = fault;
  }

  /** Ends what is no longer named, begins what is new. What is unchanged goes on. */
  async #arrange(): Promise<void> {
    const { cluster, sinks } = this.#config;
    const wanted = new Map(sinks.map((sink) => [sink.name, JSON.stringify([cluster, sink])]));
    for (const [name, { stop, ended, text, run }] of this.#running) {
      if (wanted.get(name) === text) continue;
      stop.abort();
      await ended;
      this.#running.delete(name);
      // The same receiver with other words knows what it knows.
      const record = { savedAt: this.#clock.now(), told: keptOf(run.told) };
      this.#before = new Map([...this.#before, [name, record]]);
    }
    for (const sink of sinks)
      if (!this.#running.has(sink.name)) this.#begin(sink, wanted.get(sink.name) ?? "");
    for (const { ref, id } of this.#options.observer.operations()) this.#ids.set(ref.uid ?? id, id);
    for (const { run } of this.#running.values()) for (const key of this.#ids.keys()) run.touch(key);
  }

  #begin(sink: Sink, text: string): void {
    const { namespace, log, random = Math.random, observer } = this.#options;
    const before = this.#before.get(sink.name);
    const now = this.#clock.now();
    const stop = new AbortController();
    const run = new SinkRun({
      sink,
      clock: this.#clock,
      random,
      cluster: this.#config.cluster,
      namespace,
      told: Object.entries(before?.told ?? {}),
      // A receiver that is new hears of what begins from now on, and one that is known of what it missed.
      sinceMs: before ? Math.max(before.savedAt, now - newsMs) : this.#before.size > 0 ? now : this.#started,
      look: (key) => {
        const id = this.#ids.get(key);
        // Another operator in this cluster writes it, and tells it.
        const isOurs = id !== undefined && observer.isAuthor(id) && !observer.isOpen(id);
        return isOurs ? this.#look(key) : undefined;
      },
      send: (telling, signal) => deliver(this.#options, sink, telling, signal),
      onChange: () => this.#record.touch(),
      onError: (error, failures) => {
        // The first one and then ever fewer: a receiver that is away for a night is one line an hour, not thousands.
        if (Number.isInteger(Math.log2(failures)))
          log("warning", `the receiver "${sink.name}" cannot be told: ${error.message}`, { failures });
      },
    });
    this.#running.set(sink.name, { sink, text, run, stop, ended: run.run(stop.signal) });
  }

  async #runTest(id: string, signal: AbortSignal): Promise<void> {
    const { namespace } = this.#options;
    const { cluster, sinks, faults } = this.#config;
    const [only] = id.split("/");
    const chosen = sinks.filter(({ name }) => !only || name === only);
    const sent = await testSinks(
      {
        send: (sink, telling) => deliver(this.#options, sink, telling, signal),
        now: () => this.#clock.now(),
      },
      chosen,
      { cluster, namespace },
    );
    this.#tested = id;
    this.#results = [...sent, ...faults.map((error) => ({ sink: "", error }))];
    await this.#record.save(signal);
  }

  #content(): Readonly<Record<string, string>> {
    const savedAt = this.#clock.now();
    const all = [...this.#running.values()];
    const told = Object.fromEntries(
      all.map(({ sink, run }) => [sink.name, { savedAt, told: keptOf(run.told) }]),
    );
    const health = Object.fromEntries(all.map(({ sink, run }) => [sink.name, run.health]));
    return {
      told: JSON.stringify(told),
      status: JSON.stringify({ faults: this.#config.faults, sinks: health }),
      ...(this.#results && { test: JSON.stringify({ id: this.#tested, results: this.#results }) }),
    };
  }
}

function keyOf({ ref, id }: { readonly ref: { readonly uid?: string }; readonly id: string }): string {
  return ref.uid ?? id;
}
