import type { RootObject } from "../kinds/index.ts";
import {
  type Cache,
  type Client,
  type Clock,
  EventRecorder,
  type Log,
  type StatusWriter,
  systemClock,
} from "../kube/index.ts";
import { Notifier } from "../notify/index.ts";
import { announce, ClusterFacts, HistoryShelf, Observer, Publisher } from "../observe/index.ts";
import type { Operation, Observation as Seen } from "../progress/index.ts";
import type { OperatorDeps } from "./deps.ts";
import { HistoryCourier } from "./history-courier.ts";

/** What the operator sees of all operations, its own and others'. */
export interface Observation {
  readonly observer: Observer;
  /** What an engine of this process says of its own work, folded. */
  report(object: RootObject, seen: Seen): Operation;
  /** Watches the cluster until the signal fires. */
  run(signal: AbortSignal): Promise<void>;
  /** Writes Operation objects, events and history, and tells receivers, until the signal fires; only one process of a cluster may. */
  publish(status: StatusWriter, openStore: OperatorDeps["openStore"], signal: AbortSignal): Promise<void>;
}

interface ObservationOptions {
  readonly client: Client;
  readonly cache: Cache;
  readonly namespace: string;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Prepares to watch a cluster; nothing is sent yet. */
export function openObservation(options: ObservationOptions): Observation {
  const { client, cache, namespace, log, clock = systemClock } = options;
  const told = new Set<string>();
  // An informer tells each failure; a person needs each kind once.
  const onError = (kind: string, error: unknown) => {
    if (!told.has(kind)) log("warning", `objects of kind ${kind} cannot be watched`, { error });
    told.add(kind);
  };
  const shelf = new HistoryShelf({
    client,
    namespace,
    clock,
    onError: (error) => log("warning", "the history of finished runs cannot be kept", { error }),
  });
  const around = new ClusterFacts({ client, namespace, clock, onError, isLasting: true });
  let isPublishing = false;
  let courier: HistoryCourier | undefined;
  const observer = new Observer({
    cache,
    clock,
    onError,
    author: () => (isPublishing ? namespace : undefined),
    causes: around.causes,
    before: around.known,
    book: (object) => shelf.book(object),
    onEnd: (object, tracked) => {
      if (!isPublishing) return;
      shelf.learn(object, tracked);
      courier?.ended(object, tracked);
    },
  });
  return {
    observer,
    report: (object, seen) => observer.report(object, seen),
    async run(signal) {
      await shelf.load(signal);
      await Promise.all([observer.run(signal), around.run(signal)]);
    },
    async publish(status, openStore, signal) {
      isPublishing = true;
      courier = courierOf(options, shelf, openStore);
      const carrying = courier.run(signal);
      const events = new EventRecorder({ client, component: "headway-operator", clock });
      announce({ observer, events, now: () => clock.now() }, signal);
      const notifying = new Notifier({ client, observer, namespace, log, clock }).run(signal);
      await new Publisher({ client, observer, author: namespace, status, clock, log }).run(signal);
      isPublishing = false;
      await Promise.all([carrying, notifying]);
      courier = undefined;
      observer.forgetReports();
      events.close();
      await shelf.save(AbortSignal.timeout(5_000));
      shelf.close();
    },
  };
}

function courierOf(
  { client, cache, namespace, log }: ObservationOptions,
  shelf: HistoryShelf,
  openStore: OperatorDeps["openStore"],
): HistoryCourier {
  return new HistoryCourier({
    client,
    cache,
    namespace,
    shelf,
    openStore,
    onError: (error) => log("warning", "what runs taught cannot be carried with the backups", { error }),
  });
}
