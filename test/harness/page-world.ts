import { type KindName, type KubeObject, kinds } from "../../src/api/index.ts";
import { resourceOf } from "../../src/kube/index.ts";
import { openCluster, type TestCluster } from "./cluster.ts";
import { installDefinitions } from "./definitions.ts";
import { PageServer } from "./page-server.ts";

/** A cluster whose operations a page shows; whoever writes the objects plays the engine, ours or upstream's. */
export class PageWorld {
  readonly cluster: TestCluster;
  readonly server: PageServer;

  private constructor(cluster: TestCluster, server: PageServer) {
    this.cluster = cluster;
    this.server = server;
  }

  /** Opens a world; its operations are in a namespace of this name, or of one that nothing else has. */
  static async open(namespace?: string): Promise<PageWorld> {
    const cluster = await openCluster({ node: false }, namespace === undefined ? {} : { namespace });
    await installDefinitions(cluster.client);
    return new PageWorld(cluster, await PageServer.open(cluster.client, cluster.namespace));
  }

  get namespace(): string {
    return this.cluster.namespace;
  }

  /** The address that opens the page of an operation. */
  addressOf(kind: KindName, name: string): string {
    return this.server.address(`/operations/${kind.toLowerCase()}/${this.namespace}/${name}`);
  }

  async create(
    kind: KindName,
    name: string,
    spec: object = {},
    meta: { readonly labels?: object; readonly annotations?: object } = {},
  ): Promise<KubeObject> {
    const { group, version } = kinds[kind];
    const metadata = { name, namespace: this.namespace, ...meta };
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

  async delete(kind: KindName, name: string): Promise<void> {
    await this.cluster.client.delete(resourceOf(kinds[kind]), name, { namespace: this.namespace });
  }

  read<T extends KubeObject>(kind: KindName, name: string): Promise<T> {
    return this.cluster.client.get<T>(resourceOf(kinds[kind]), name, { namespace: this.namespace });
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.cluster.close();
  }
}
