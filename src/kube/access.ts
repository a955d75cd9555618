import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { AppError } from "../errors.ts";
import { type CredentialSource, fileToken, fixedCredentials, userCredentials } from "./credentials.ts";
import { type ChosenContext, chooseContext, type KubeconfigFile, mergeKubeconfigs } from "./kubeconfig.ts";
import { proxyFor } from "./proxy.ts";

/** Where a cluster is and how to prove who we are. */
export interface Access {
  /** The context's name, `in-cluster`, or the address itself. */
  readonly context: string;
  readonly server: string;
  /** The namespace that is meant when none is named. */
  readonly namespace: string;
  readonly ca?: string;
  readonly insecure: boolean;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  /** `Impersonate-*` headers. */
  readonly impersonate: Readonly<Record<string, string | readonly string[]>>;
  readonly credentials: CredentialSource;
}

/** Which cluster is meant; everything is optional, as on kubectl's command line. */
export interface AccessOptions {
  /** One file that must exist; otherwise `KUBECONFIG`, `~/.kube/config`, then the pod's service account. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
  readonly as?: string | undefined;
  readonly asGroups?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder that a pod's service account is mounted at. */
  readonly serviceAccountDir?: string;
}

/** A cluster named directly, as a custom resource with a token does. */
export interface DirectAccess {
  readonly server: string;
  readonly token?: string | undefined;
  /** PEM. */
  readonly ca?: string | undefined;
  readonly insecure?: boolean;
  readonly namespace?: string | undefined;
  /** How messages call it. */
  readonly title?: string;
}

/** The contexts that the kubeconfig files have. */
export async function contextNames(
  options: Pick<AccessOptions, "kubeconfig" | "env"> = {},
): Promise<readonly string[]> {
  const files = await readFiles(options.kubeconfig, options.env ?? process.env);
  return [...mergeKubeconfigs(files).contexts.keys()];
}

/** Finds the cluster that the options and the environment name. */
export async function findAccess(options: AccessOptions = {}): Promise<Access> {
  const env = options.env ?? process.env;
  const files = await readFiles(options.kubeconfig, env);
  if (files.length > 0) {
    return contextAccess(chooseContext(mergeKubeconfigs(files), options.context), options);
  }
  const inCluster = await serviceAccount(env, options);
  if (inCluster && options.context === undefined) return inCluster;
  throw new AppError(
    "KUBE_CONFIG",
    "no cluster is named: there is no --kubeconfig, no file in KUBECONFIG, no ~/.kube/config and no service account",
  );
}

/** Access to a cluster by its address. */
export function directAccess(direct: DirectAccess): Access {
  return {
    context: direct.title ?? direct.server,
    server: checkServer(direct.server, direct.title ?? direct.server),
    namespace: direct.namespace ?? "default",
    insecure: direct.insecure ?? false,
    impersonate: {},
    credentials: fixedCredentials(direct.token === undefined ? {} : { token: direct.token }),
    ...(direct.ca !== undefined && { ca: direct.ca }),
  };
}

async function contextAccess(chosen: ChosenContext, options: AccessOptions): Promise<Access> {
  const { cluster, user, context } = chosen;
  const ca =
    cluster.caData !== undefined
      ? Buffer.from(cluster.caData, "base64").toString()
      : cluster.caFile !== undefined
        ? await readNamed(cluster.caFile, `certificate authority of context "${context}"`)
        : undefined;
  const env = options.env ?? process.env;
  const server = checkServer(cluster.server, context);
  const proxyUrl = proxyFor(server, cluster.proxyUrl, env);
  return {
    context,
    server,
    namespace: options.namespace ?? chosen.namespace,
    insecure: cluster.insecure,
    impersonate: impersonation(options.as ?? user.as, {
      groups: options.asGroups ?? user.asGroups,
      ...(options.as === undefined && { uid: user.asUid, extra: user.asExtra }),
    }),
    credentials: await userCredentials({ ...chosen, ca, env }),
    ...(ca !== undefined && { ca }),
    ...(cluster.tlsServerName !== undefined && { tlsServerName: cluster.tlsServerName }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  };
}

async function serviceAccount(
  env: Readonly<Record<string, string | undefined>>,
  options: AccessOptions,
): Promise<Access | undefined> {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) return undefined;
  const dir = options.serviceAccountDir ?? "/var/run/secrets/kubernetes.io/serviceaccount";
  const ca = await readNamed(join(dir, "ca.crt"), "certificate authority of the service account");
  const namespace = await readIfThere(join(dir, "namespace"));
  return {
    context: "in-cluster",
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: options.namespace ?? (namespace?.trim() || "default"),
    ca,
    insecure: false,
    impersonate: impersonation(options.as, { groups: options.asGroups }),
    credentials: fileToken(join(dir, "token")),
  };
}

async function readFiles(
  explicit: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly KubeconfigFile[]> {
  if (explicit !== undefined) {
    return [{ path: explicit, text: await readNamed(explicit, "kubeconfig") }];
  }
  const named = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  const paths = named.length > 0 ? named : [join(env["HOME"] ?? homedir(), ".kube", "config")];
  const files = await Promise.all(paths.map(async (path) => ({ path, text: await readIfThere(path) })));
  // kubectl passes over missing files of the list, and so do we.
  return files.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
}

function impersonation(
  user: string | undefined,
  more: {
    groups?: readonly string[] | undefined;
    uid?: string | undefined;
    extra?: Readonly<Record<string, readonly string[]>> | undefined;
  },
): Record<string, string | readonly string[]> {
  if (user === undefined) return {};
  const headers: Record<string, string | readonly string[]> = { "Impersonate-User": user };
  if (more.uid !== undefined) headers["Impersonate-Uid"] = more.uid;
  if (more.groups && more.groups.length > 0) headers["Impersonate-Group"] = more.groups;
  for (const [key, values] of Object.entries(more.extra ?? {})) {
    headers[`Impersonate-Extra-${encodeURIComponent(key)}`] = values;
  }
  return headers;
}

function checkServer(server: string, context: string): string {
  const url = URL.parse(server);
  if (url && (url.protocol === "https:" || url.protocol === "http:")) return server.replace(/\/+$/, "");
  throw new AppError("KUBE_CONFIG", `the server of context "${context}" is not an address: "${server}"`);
}

async function readNamed(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new AppError("KUBE_CONFIG", `cannot read the ${what} "${path}"`, { cause });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw new AppError("KUBE_CONFIG", `cannot read "${path}"`, { cause });
  }
}
