import type { Log } from "../engines/backup/index.ts";
import type { RootObject } from "../kinds/index.ts";
import {
  type Cache,
  type Client,
  type Clock,
  EventRecorder,
  type StatusWriter,
  systemClock,
} from "../kube/index.ts";
import { announce, HistoryShelf, Observer, Publisher, Surroundings } from "../observe/index.ts";
import type { Operation, Observation as Seen } from "../progress/index.ts";

/** What the operator sees of all operations, its own and others'. */
export interface Observation {
  readonly observer: Observer;
  /** What an engine of this process says of its own work, folded. */
  report(object: RootObject, seen: Seen): Operation;
  /** Watches the cluster until the signal fires. */
  run(signal: AbortSignal): Promise<void>;
  /** Writes Operation objects, events and history until the signal fires; only one process of a cluster may. */
  publish(status: StatusWriter, signal: AbortSignal): Promise<void>;
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
  const around = new Surroundings({ client, namespace, clock, onError });
  let isPublishing = false;
  const observer = new Observer({
    cache,
    clock,
    onError,
    isAuthor: () => isPublishing,
    causes: around.causes,
    before: around.known,
    book: (object) => shelf.book(object),
    onEnd: (object, tracked) => {
      if (isPublishing) shelf.learn(object, tracked);
    },
  });
  return {
    observer,
    report: (object, seen) => observer.report(object, seen),
    async run(signal) {
      await shelf.load(signal);
      await Promise.all([observer.run(signal), around.run(signal)]);
    },
    async publish(status, signal) {
      isPublishing = true;
      const events = new EventRecorder({ client, component: "headway-operator", clock });
      announce({ observer, events, now: () => clock.now() }, signal);
      await new Publisher({ client, observer, status, clock, log }).run(signal);
      isPublishing = false;
      observer.forgetReports();
      events.close();
      await shelf.save(AbortSignal.timeout(5_000));
      shelf.close();
    },
  };
}
