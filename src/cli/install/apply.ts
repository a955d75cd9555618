import type { KubeObject } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, isNotFound, type Resource, sleep, systemClock } from "../../kube/index.ts";
import type { Io } from "../io.ts";
import type { Manifest } from "./manifests.ts";

const fieldManager = "headway-install";

/** Applies an object: what is different is changed, and nothing else. */
export async function apply(client: Client, object: Manifest, io: Io, signal: AbortSignal): Promise<void> {
  const { name, namespace } = object.metadata;
  const patch = { type: "apply", body: object, force: true } as const;
  await client.patch(endpoint(object), name, patch, { namespace, fieldManager }, signal);
  io.err(`applied ${titleOf(object)}\n`);
}

/** Deletes an object if it is there. */
export async function remove(client: Client, object: Manifest, io: Io, signal: AbortSignal): Promise<void> {
  const { name, namespace } = object.metadata;
  try {
    await client.delete(endpoint(object), name, { namespace, propagation: "Background" }, signal);
    io.err(`deleted ${titleOf(object)}\n`);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

type Definition = KubeObject & {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

/** Applies the definitions of the kinds and waits until they are served. Those of other programs are left alone unless told otherwise. */
export async function applyKinds(
  client: Client,
  definitions: readonly Manifest[],
  { io, takeOver }: { readonly io: Io; readonly takeOver: boolean },
  signal: AbortSignal,
): Promise<void> {
  const chosen: Manifest[] = [];
  for (const one of definitions) {
    const there = await found(client, one.metadata.name, signal);
    if (takeOver || there === undefined || isOurs(there)) chosen.push(one);
    else io.err(`left alone ${titleOf(one)}: another program installed it\n`);
  }
  for (const one of chosen) await apply(client, one, io, signal);
  for (const one of chosen) await established(client, one, signal);
}

/** Whether this program installed a definition: by its label, or before it had one by who wrote it. */
export function isOurs({ metadata }: Pick<KubeObject, "metadata">): boolean {
  const { labels, managedFields = [] } = metadata;
  const writers = managedFields as readonly { readonly manager?: string }[]; // as the API server writes them
  return (
    labels?.["app.kubernetes.io/part-of"] === "headway" ||
    writers.some(({ manager }) => manager === fieldManager)
  );
}

async function found(client: Client, name: string, signal: AbortSignal): Promise<Definition | undefined> {
  return client.get<Definition>(builtIn.definitions, name, {}, signal).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** Objects of a kind can only be made once the server serves it. */
async function established(client: Client, object: Manifest, signal: AbortSignal): Promise<void> {
  const limit = systemClock.now() + 60_000;
  for (;;) {
    const { status } = await client.get<Definition>(endpoint(object), object.metadata.name, {}, signal);
    if (status?.conditions?.some((each) => each.type === "Established" && each.status === "True")) return;
    if (systemClock.now() > limit) {
      throw new AppError(
        "DEFINITION_NOT_READY",
        `${object.metadata.name} is not served a minute after it was applied`,
      );
    }
    await sleep(systemClock, 200, signal);
  }
}

const clusterWide = [
  "CustomResourceDefinition",
  "Namespace",
  "ClusterRole",
  "ClusterRoleBinding",
  "ValidatingWebhookConfiguration",
];

function endpoint({ apiVersion, kind }: Manifest): Resource {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const plural = kind === "NetworkPolicy" ? "networkpolicies" : `${kind.toLowerCase()}s`;
  return { group, version, plural, kind, namespaced: !clusterWide.includes(kind) };
}

/** `Deployment velero/headway`. */
export function titleOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name}`;
}
