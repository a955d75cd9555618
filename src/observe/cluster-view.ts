import { Cache, type Client, type Clock } from "../kube/index.ts";
import { ClusterFacts } from "./cluster-facts.ts";
import { HistoryShelf } from "./history-shelf.ts";
import { Observer } from "./observer.ts";

/** What is looked at, and by whom. */
export interface ClusterViewOptions {
  readonly client: Pick<Client, "pages" | "watch" | "get">;
  /** One namespace, or all when absent. */
  readonly namespace?: string | undefined;
  /** The namespace of the server, its agents and its history. */
  readonly serverNamespace: string;
  readonly clock?: Clock;
}

/** Everything that a viewer knows of a cluster, from reading alone. */
export interface ClusterView {
  readonly observer: Observer;
  /** Watches until the signal fires. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * An observer that knows why volumes stand still and how long earlier runs took, as far as the viewer may read it: what is
 * forbidden or absent makes the picture poorer, not wrong.
 */
export function openClusterView(options: ClusterViewOptions): ClusterView {
  const { client, namespace, serverNamespace, clock } = options;
  const time = clock ? { clock } : {};
  const around = new ClusterFacts({ client, namespace: serverNamespace, ...time });
  const shelf = new HistoryShelf({ client: readOnly(client), namespace: serverNamespace, ...time });
  const observer = new Observer({
    cache: new Cache({ client, ...time }),
    namespace,
    causes: around.causes,
    before: around.known,
    book: (object) => shelf.book(object),
    ...time,
  });
  return {
    observer,
    async run(signal) {
      await shelf.load(signal);
      await Promise.all([observer.run(signal), around.run(signal)]);
    },
  };
}

/** A shelf that is only read never writes. */
function readOnly(client: Pick<Client, "get">): Pick<Client, "get" | "patch" | "create"> {
  const refuse = () => Promise.reject(new Error("a viewer writes nothing"));
  return { get: client.get.bind(client), patch: refuse, create: refuse };
}
