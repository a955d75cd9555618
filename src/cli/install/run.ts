import type { KubeObject } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, isNotFound, type Resource, sleep, systemClock } from "../../kube/index.ts";
import { selfSigned } from "../../plane/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { documents } from "./chart.ts";
import { definitions, type InstallOptions, type Manifest, namespaceOf, program } from "./manifests.ts";
import { controllerPermissions } from "./permissions.ts";
import { leastRights, type Rights, rightObjects } from "./rights.ts";
import { type WebhookCertificate, webhookHost, webhookName } from "./webhook.ts";

/** Prints what is to be installed, or installs it. */
export async function runInstall(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const wanted = await optionsOf(input, io);
  if (!given(input, "apply")) {
    const options = given(input, "webhook") ? { ...wanted, webhook: certificateFor(wanted) } : wanted;
    const parts = given(input, "no-crds") ? [] : definitions();
    io.out(documents([...parts, namespaceOf(options), ...program(options)]));
    return;
  }
  const { client } = await openCluster(input, io);
  try {
    const webhook = given(input, "webhook") && (await keptCertificate(client, wanted, signal));
    const options = webhook ? { ...wanted, webhook } : wanted;
    const kinds = given(input, "no-crds") ? [] : definitions();
    for (const one of kinds) await apply(client, one, io, signal);
    for (const one of kinds) await established(client, one, signal);
    const objects = program(options);
    for (const one of [namespaceOf(options), ...objects]) await apply(client, one, io, signal);
    // Rights that an earlier installation was given and this one was not must not stay.
    const kept = new Set(objects.map(titleOf));
    const possible = rightObjects(options.namespace, [], allRights(options));
    for (const one of possible) if (!kept.has(titleOf(one))) await remove(client, one, io, signal);
  } finally {
    client.close();
  }
}

/** The certificate of an earlier installation, or a new one. */
async function keptCertificate(
  client: Client,
  options: InstallOptions,
  signal: AbortSignal,
): Promise<WebhookCertificate> {
  const { namespace } = options;
  try {
    const { data = {} } = await client.get<KubeObject & { data?: Readonly<Record<string, string>> }>(
      builtIn.secrets,
      webhookName,
      { namespace },
      signal,
    );
    const [cert, key] = [data["tls.crt"], data["tls.key"]];
    if (cert && key) return { cert, key };
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return certificateFor(options);
}

function certificateFor({ namespace }: InstallOptions): WebhookCertificate {
  const made = selfSigned(webhookName, systemClock.now(), [webhookHost(namespace)]);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return { cert: base64(made.cert), key: base64(made.key) };
}

/** Takes away what `install --apply` made; what people own stays unless they say so. */
export async function runUninstall(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const { client, namespace } = await openCluster(input, io);
  const options = { namespace, image: "", webhook: { cert: "", key: "" }, rights: allRights({}) };
  const doomed = [
    ...program(options).toReversed(),
    ...(given(input, "crds") ? definitions().toReversed() : []),
    ...(given(input, "delete-namespace") ? [namespaceOf(options)] : []),
  ];
  try {
    for (const one of doomed) await remove(client, one, io, signal);
    if (!given(input, "crds"))
      io.err("the kinds and their objects stay; --crds deletes them, backups included\n");
  } finally {
    client.close();
  }
}

async function optionsOf(input: Input, io: Io): Promise<InstallOptions> {
  const { default: about } = await import("../../../package.json", { with: { type: "json" } });
  const controllers = texts(input, "controllers");
  const odd = controllers.find((name) => !(name in controllerPermissions));
  if (odd !== undefined) {
    const known = Object.keys(controllerPermissions).join(", ");
    throw new AppError("USAGE", `there is no controller "${odd}"; there are ${known}`, { retry: false });
  }
  return {
    namespace: text(input, "namespace") ?? io.env["VELERO_NAMESPACE"] ?? "velero",
    image: text(input, "image") ?? `headway:${about.version}`,
    controllers,
    agent: !given(input, "no-agent"),
    ...optional("imagePullPolicy", text(input, "image-pull-policy")),
    ...optional("hostPods", text(input, "host-pods")),
    rights: rightsOf(input),
  };
}

/** The parser has checked the choices. */
function rightsOf(input: Input): Rights {
  const accounts = texts(input, "restore-account");
  const odd = accounts.find((name) => !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name));
  if (odd !== undefined) {
    throw new AppError("USAGE", `--restore-account takes the name of a service account, not "${odd}"`, {
      retry: false,
    });
  }
  const { restore, restoreAccounts, action, migration } = leastRights;
  return {
    restore: (text(input, "restore-rights") as Rights["restore"] | undefined) ?? restore,
    restoreAccounts: accounts.length > 0 ? accounts : restoreAccounts,
    action: (text(input, "action-rights") as Rights["action"] | undefined) ?? action,
    migration: (text(input, "migration-rights") as Rights["migration"] | undefined) ?? migration,
  };
}

/** Everything that any choice could have made. */
function allRights({ rights }: Pick<InstallOptions, "rights">): Rights {
  return { ...leastRights, ...rights, restore: "cluster", action: "cluster", migration: "cluster" };
}

function optional<K extends string>(name: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<K, string>>);
}

async function apply(client: Client, object: Manifest, io: Io, signal: AbortSignal): Promise<void> {
  const { name, namespace } = object.metadata;
  const patch = { type: "apply", body: object, force: true } as const;
  await client.patch(endpoint(object), name, patch, { namespace, fieldManager: "headway-install" }, signal);
  io.err(`applied ${titleOf(object)}\n`);
}

async function remove(client: Client, object: Manifest, io: Io, signal: AbortSignal): Promise<void> {
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

function titleOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ""}${metadata.name}`;
}
