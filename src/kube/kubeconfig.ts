import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { AppError } from "../errors.ts";

/** One kubeconfig file as it was read. */
export interface KubeconfigFile {
  readonly path: string;
  readonly text: string;
}

/** A `cluster` entry; paths are absolute. */
export interface ClusterEntry {
  readonly server: string;
  readonly caFile?: string;
  readonly caData?: string;
  readonly insecure: boolean;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  /** Passed on to credential plugins that ask for it. */
  readonly extensions?: unknown;
}

/** A `user` entry; paths are absolute. */
export interface UserEntry {
  readonly name: string;
  /** The file it came from, for refreshed tokens. */
  readonly path: string;
  readonly certFile?: string;
  readonly certData?: string;
  readonly keyFile?: string;
  readonly keyData?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly asUid?: string;
  readonly asGroups?: readonly string[];
  readonly asExtra?: Readonly<Record<string, readonly string[]>>;
  readonly exec?: ExecEntry;
  readonly authProvider?: { readonly name: string; readonly config: Readonly<Record<string, string>> };
}

/** How a credential plugin is run. */
export interface ExecEntry {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
}

/** A context with everything it names. */
export interface ChosenContext {
  readonly context: string;
  readonly namespace: string;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
}

type Entry = Readonly<Record<string, unknown>>;
interface Named {
  readonly value: Entry;
  readonly path: string;
}

/** The files' contexts, clusters and users; as in kubectl the first file that names a thing wins. */
export interface Kubeconfig {
  readonly paths: readonly string[];
  readonly currentContext?: string;
  readonly contexts: ReadonlyMap<string, Named>;
  readonly clusters: ReadonlyMap<string, Named>;
  readonly users: ReadonlyMap<string, Named>;
}

/** Reads and merges kubeconfig files. */
export function mergeKubeconfigs(files: readonly KubeconfigFile[]): Kubeconfig {
  const contexts = new Map<string, Named>();
  const clusters = new Map<string, Named>();
  const users = new Map<string, Named>();
  let currentContext: string | undefined;
  for (const file of files) {
    const root = readRoot(file);
    currentContext ??= text(root, "current-context");
    collect(contexts, root["contexts"], "context", file);
    collect(clusters, root["clusters"], "cluster", file);
    collect(users, root["users"], "user", file);
  }
  const paths = files.map((file) => file.path);
  return { paths, contexts, clusters, users, ...(currentContext !== undefined && { currentContext }) };
}

/** Follows a context to its cluster and user; without a name it is the current one. */
export function chooseContext(config: Kubeconfig, wanted?: string): ChosenContext {
  const context = wanted ?? config.currentContext;
  const where = config.paths.map((path) => `"${path}"`).join(", ");
  if (context === undefined) {
    throw new AppError("KUBE_CONFIG", `no current context is set in ${where}, and none was asked for`);
  }
  const entry = config.contexts.get(context);
  if (!entry) {
    const known = [...config.contexts.keys()].map((name) => `"${name}"`).join(", ");
    throw new AppError(
      "KUBE_CONFIG",
      `context "${context}" is not in ${where}, which has ${known || "none"}`,
    );
  }
  const clusterName = text(entry.value, "cluster") ?? "";
  const cluster = config.clusters.get(clusterName);
  if (!cluster) {
    throw new AppError(
      "KUBE_CONFIG",
      `context "${context}" names cluster "${clusterName}", which is not in ${where}`,
    );
  }
  const userName = text(entry.value, "user") ?? "";
  const user = config.users.get(userName);
  if (!user && userName !== "") {
    throw new AppError(
      "KUBE_CONFIG",
      `context "${context}" names user "${userName}", which is not in ${where}`,
    );
  }
  return {
    context,
    namespace: text(entry.value, "namespace") ?? "default",
    cluster: clusterEntry(cluster, clusterName),
    user: userEntry(userName, user ?? { value: {}, path: entry.path }),
  };
}

function clusterEntry({ value, path }: Named, name: string): ClusterEntry {
  const server = text(value, "server");
  if (server === undefined) {
    throw new AppError("KUBE_CONFIG", `cluster "${name}" in "${path}" has no server`);
  }
  const extensions = value["extensions"];
  return {
    server,
    insecure: value["insecure-skip-tls-verify"] === true,
    ...file("caFile", value, "certificate-authority", path),
    ...some("caData", text(value, "certificate-authority-data")),
    ...some("tlsServerName", text(value, "tls-server-name")),
    ...some("proxyUrl", text(value, "proxy-url")),
    ...(extensions !== undefined && { extensions }),
  };
}

function userEntry(name: string, { value, path }: Named): UserEntry {
  const extra = record(value["as-user-extra"]);
  const exec = record(value["exec"]);
  const provider = record(value["auth-provider"]);
  return {
    name,
    path,
    ...file("certFile", value, "client-certificate", path),
    ...some("certData", text(value, "client-certificate-data")),
    ...file("keyFile", value, "client-key", path),
    ...some("keyData", text(value, "client-key-data")),
    ...some("token", text(value, "token")),
    ...file("tokenFile", value, "tokenFile", path),
    ...some("username", text(value, "username")),
    ...some("password", text(value, "password")),
    ...some("as", text(value, "as")),
    ...some("asUid", text(value, "as-uid")),
    ...some("asGroups", Array.isArray(value["as-groups"]) ? value["as-groups"].map(wordOf) : undefined),
    ...some("asExtra", extra && mapValues(extra, (v) => (Array.isArray(v) ? v.map(wordOf) : [wordOf(v)]))),
    ...some("exec", exec && execEntry(exec, name, path)),
    ...some(
      "authProvider",
      provider && {
        name: text(provider, "name") ?? "",
        config: mapValues(record(provider["config"]) ?? {}, wordOf),
      },
    ),
  };
}

function execEntry(value: Entry, user: string, path: string): ExecEntry {
  const command = text(value, "command");
  if (command === undefined) {
    throw new AppError(
      "KUBE_CONFIG",
      `user "${user}" in "${path}" has a credential plugin without a command`,
    );
  }
  const env: Record<string, string> = {};
  for (const pair of Array.isArray(value["env"]) ? value["env"].map(record) : []) {
    const name = pair && text(pair, "name");
    if (name !== undefined) env[name] = (pair && text(pair, "value")) ?? "";
  }
  const mode = text(value, "interactiveMode");
  return {
    apiVersion: text(value, "apiVersion") ?? "client.authentication.k8s.io/v1",
    // A bare word is looked up on PATH; anything with a slash is relative to its file.
    command: command.includes("/") ? resolve(dirname(path), command) : command,
    args: Array.isArray(value["args"]) ? value["args"].map(wordOf) : [],
    env,
    provideClusterInfo: value["provideClusterInfo"] === true,
    interactiveMode: mode === "Never" || mode === "Always" ? mode : "IfAvailable",
    ...some("installHint", text(value, "installHint")),
  };
}

function readRoot(from: KubeconfigFile): Entry {
  try {
    const root: unknown = parse(from.text, { logLevel: "error" }); // a warning would print the line, with the token in it
    if (root === null || root === undefined) return {};
    const entry = record(root);
    if (entry) return entry;
  } catch (cause) {
    throw new AppError("KUBE_CONFIG", `kubeconfig "${from.path}" is not readable YAML`, { cause });
  }
  throw new AppError("KUBE_CONFIG", `kubeconfig "${from.path}" is not a mapping`);
}

function collect(into: Map<string, Named>, list: unknown, inner: string, from: KubeconfigFile): void {
  for (const item of Array.isArray(list) ? list : []) {
    const entry = record(item);
    const name = entry && text(entry, "name");
    if (name === undefined || into.has(name)) continue;
    into.set(name, { value: record(entry?.[inner]) ?? {}, path: from.path });
  }
}

function file<K extends string>(key: K, value: Entry, field: string, path: string) {
  const name = text(value, field);
  return some(key, name && resolve(dirname(path), name));
}

function some<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V }); // a computed key loses its name
}

function text(value: Entry, field: string): string | undefined {
  const found = value[field];
  return typeof found === "string" && found !== "" ? found : undefined;
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>) // narrowed by the three tests before it
    : undefined;
}

function mapValues<V>(from: Entry, map: (value: unknown) => V): Record<string, V> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value)]));
}

/** A text as it is, anything else as JSON: a number is its digits, and an object no name that a server knows. */
function wordOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
