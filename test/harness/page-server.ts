import { backupNow, deleteRequest, upcoming } from "../../src/engines/backup/index.ts";
import type { RestorePlan } from "../../src/kinds/index.ts";
import { Cache, type Client } from "../../src/kube/index.ts";
import { ClusterFacts, Observer } from "../../src/observe/index.ts";
import { listen, tokenAuthorizer } from "../../src/server/index.ts";

/** What operations left behind, for worlds without an object store. */
const files = {
  log: (name: string) => `level=info msg="the log of ${name}"\n`,
  results: (name: string) =>
    JSON.stringify({
      errors: { namespaces: { blog: [`volume data of ${name}: the disk is full`] } },
      warnings: { velero: ["a hook took long"] },
    }),
};

/** What every restore would do, for worlds without an object store. */
const plan: RestorePlan = {
  restore: "",
  backup: "shop-sunday",
  faults: [],
  counts: { create: 41, update: 0, skip: 2, conflict: 1, refused: 0, unknown: 0 },
  notAsked: 40,
  groups: [],
  items: [
    {
      resource: "configmaps",
      namespace: "shop",
      name: "settings",
      verdict: "conflict",
      reason: "it exists already and differs from the backup",
    },
  ],
  moreItems: 43,
  volumes: [{ namespace: "shop", name: "database", method: "pod volume", bytes: 4 * 1024 ** 3 }],
  bytes: 4 * 1024 ** 3,
  hooks: 0,
  time: { seconds: 120, low: 60, high: 300, from: "restores" },
  hidden: ["secrets"],
  notes: [],
};

const token = "page-test-token";

/** The page of one cluster, served as `headway serve` does, that a test can cut and bring back. */
export class PageServer {
  /** `http://HOST:PORT`. */
  url = "";
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #observer: Observer;
  readonly #watching: Promise<unknown>;
  #serving: AbortController | undefined;
  #closed: Promise<void> = Promise.resolve();

  private constructor(client: Client, namespace: string) {
    this.#client = client;
    const around = new ClusterFacts({ client, namespace });
    this.#observer = new Observer({ cache: new Cache({ client }), causes: around.causes });
    const { signal } = this.#stop;
    this.#watching = Promise.all([this.#observer.run(signal), around.run(signal)]);
  }

  static async open(client: Client, namespace: string): Promise<PageServer> {
    const server = new PageServer(client, namespace);
    await server.#observer.synced(server.#stop.signal);
    await server.serve();
    return server;
  }

  /** The address that opens the page; a path of it when given. */
  address(path = "/operations"): string {
    return `${this.url}${path}#token=${token}`;
  }

  /** Serves; a second time at the same address, as a server that comes back. */
  async serve(): Promise<void> {
    this.#serving = new AbortController();
    const server = await listen(
      {
        observer: this.#observer,
        authorizer: tokenAuthorizer(token),
        address: this.url === "" ? "127.0.0.1:0" : this.url.replace("http://", ""),
        cluster: {
          client: this.#client,
          writes: true,
          backups: { upcoming, backupNow, deleteRequest },
          readFile: async (_client, { name }, what) => files[what](name),
          planRestore: async ({ metadata }) => ({ ...plan, restore: metadata.name }),
        },
      },
      this.#serving.signal,
    );
    this.url = server.url;
    this.#closed = server.closed;
  }

  /** Ends the server and every stream of it. */
  async cut(): Promise<void> {
    this.#serving?.abort();
    await this.#closed;
  }

  async close(): Promise<void> {
    await this.cut();
    this.#stop.abort();
    await this.#watching;
  }
}
