import { type KindName, type KubeObject, kinds } from "../../src/api/index.ts";
import { resourceOf } from "../../src/kube/index.ts";
import { Observer, Surroundings } from "../../src/observe/index.ts";
import { listen, tokenAuthorizer } from "../../src/server/index.ts";
import { openCluster, type TestCluster } from "./cluster.ts";
import { installDefinitions } from "./definitions.ts";

const token = "page-test-token";

/** A cluster whose operations a page shows; whoever writes the objects plays the engine, ours or upstream's. */
export class PageWorld {
  readonly cluster: TestCluster;
  /** `http://HOST:PORT`. */
  url = "";
  readonly #stop = new AbortController();
  #serving: AbortController | undefined;
  #closed: Promise<void> = Promise.resolve();
  #watching: Promise<unknown> = Promise.resolve();
  readonly #observer: Observer;
  readonly #around: Surroundings;

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
    const { client, namespace } = cluster;
    this.#around = new Surroundings({ client, namespace });
    this.#observer = new Observer({ client, causes: this.#around.causes });
  }

  static async open(): Promise<PageWorld> {
    const world = new PageWorld(await openCluster({ node: false }));
    await installDefinitions(world.cluster.client);
    const { signal } = world.#stop;
    world.#watching = Promise.all([world.#observer.run(signal), world.#around.run(signal)]);
    await world.#observer.synced(signal);
    await world.serve();
    return world;
  }

  get namespace(): string {
    return this.cluster.namespace;
  }

  /** The address that opens the page; a path of it when given. */
  address(path = "/"): string {
    return `${this.url}${path}#token=${token}`;
  }

  /** Serves; a second time at the same address, as a server that comes back. */
  async serve(): Promise<void> {
    this.#serving = new AbortController();
    const { client } = this.cluster;
    const server = await listen(
      {
        observer: this.#observer,
        authorizer: tokenAuthorizer(token),
        address: this.url === "" ? "127.0.0.1:0" : this.url.replace("http://", ""),
        cluster: { client, writes: true, readLog: async () => "time=now level=info msg=hello\n" },
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

  async create(
    kind: KindName,
    name: string,
    spec: object = {},
    labels: Readonly<Record<string, string>> = {},
  ): Promise<KubeObject> {
    const { group, version } = kinds[kind];
    const metadata = { name, namespace: this.namespace, labels };
    const object = { apiVersion: `${group}/${version}`, kind, metadata, spec };
    return this.cluster.client.create(resourceOf(kinds[kind]), object);
  }

  /** Writes status fields as every engine does: a merge patch on the object itself. */
  async write(kind: KindName, name: string, status: object): Promise<void> {
    await this.patch(kind, name, { status });
  }

  async patch(kind: KindName, name: string, body: object): Promise<void> {
    const place = { namespace: this.namespace };
    await this.cluster.client.patch(resourceOf(kinds[kind]), name, { type: "merge", body }, place);
  }

  read<T extends KubeObject>(kind: KindName, name: string): Promise<T> {
    return this.cluster.client.get<T>(resourceOf(kinds[kind]), name, { namespace: this.namespace });
  }

  async close(): Promise<void> {
    await this.cut();
    this.#stop.abort();
    await this.#watching;
    await this.cluster.close();
  }
}
