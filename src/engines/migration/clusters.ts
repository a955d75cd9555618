import type { KubeObject, MigCluster } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, connectTo, type DirectAccess, Mask, maskErrors } from "../../kube/index.ts";
import { critical, type Wanted } from "./conditions.ts";
import { serverNamespaceAnnotation } from "./names.ts";
import type { Cluster, MigrationDeps } from "./run.ts";
import { resources } from "./shapes.ts";
import { tokenEnd } from "./token-expiry.ts";
import { find } from "./tolerate.ts";

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/** Opens the clusters that MigClusters name; one client each, as long as what they say stays the same. */
export class Clusters {
  readonly #deps: Pick<MigrationDeps, "client" | "namespace">;
  readonly #open: (direct: DirectAccess) => Client;
  /** By name; bounded by the number of MigClusters. */
  readonly #clients = new Map<string, { readonly text: string; readonly client: Client }>();

  constructor(
    deps: Pick<MigrationDeps, "client" | "namespace">,
    open: (direct: DirectAccess) => Client = connectTo,
  ) {
    this.#deps = deps;
    this.#open = open;
  }

  /** The cluster, or what is wrong with what is said about it. Nothing is sent to it yet. */
  async open(cluster: MigCluster, signal: AbortSignal): Promise<Cluster | Wanted> {
    const { name } = cluster.metadata;
    const namespace = cluster.metadata.annotations?.[serverNamespaceAnnotation] ?? this.#deps.namespace;
    if (cluster.spec?.isHostCluster) return { name, client: this.#deps.client, namespace };
    const direct = await this.#access(cluster, signal);
    if ("type" in direct) return direct;
    const text = JSON.stringify(direct);
    const ends = tokenEnd(direct.token ?? "");
    const opened = { name, namespace, ...(ends !== undefined && { tokenEnds: ends }) };
    const known = this.#clients.get(name);
    if (known?.text === text) return { ...opened, client: known.client };
    // What the other cluster, or somebody in between, answers goes into conditions.
    const mask = new Mask();
    mask.learn(direct.token);
    try {
      const client = maskErrors(this.#open(direct), mask);
      known?.client.close();
      this.#clients.set(name, { text, client });
      return { ...opened, client };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return critical("InvalidURL", "Malformed", mask.text(error.message));
    }
  }

  /** Closes the client of a cluster that is gone. */
  forget(name: string): void {
    this.#clients.get(name)?.client.close();
    this.#clients.delete(name);
  }

  close(): void {
    for (const name of this.#clients.keys()) this.forget(name);
  }

  async #access(cluster: MigCluster, signal: AbortSignal): Promise<DirectAccess | Wanted> {
    const { url, caBundle, insecure, serviceAccountSecretRef: ref } = cluster.spec ?? {};
    const wrong = urlFault(url);
    if (wrong) return wrong;
    if (!ref?.name)
      return critical("InvalidSaSecretRef", "NotSet", "serviceAccountSecretRef names no Secret");
    const namespace = ref.namespace ?? cluster.metadata.namespace ?? this.#deps.namespace;
    const secret = await find<Secret>(this.#deps.client, resources.secrets, ref.name, namespace, signal);
    const title = `Secret ${namespace}/${ref.name}`;
    if (!secret) return critical("InvalidSaSecretRef", "NotFound", `${title} does not exist`);
    const token = secret.data?.["saToken"];
    if (token === undefined) return critical("InvalidSaToken", "NotFound", `${title} has no key saToken`);
    const text = Buffer.from(token, "base64").toString("utf8").trim();
    if (text === "") return critical("InvalidSaToken", "NotSet", `${title} has an empty saToken`);
    return {
      server: url ?? "",
      token: text,
      title: cluster.metadata.name,
      insecure: insecure === true,
      ...(caBundle && { ca: Buffer.from(caBundle, "base64").toString("utf8") }),
    };
  }
}

/** What is wrong with the address of a cluster. */
function urlFault(url: string | undefined): Wanted | undefined {
  if (!url) return critical("InvalidURL", "NotSet", "url is not set");
  if (!URL.canParse(url)) return critical("InvalidURL", "Malformed", `url "${url}" is no address`);
  const { protocol } = new URL(url);
  if (protocol === "https:" || protocol === "http:") return undefined;
  return critical("InvalidURL", "InvalidScheme", `url "${url}" is neither https nor http`);
}
