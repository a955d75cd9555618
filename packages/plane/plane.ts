import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Certificate, selfSigned } from "../wire/index.ts";
import { admitBuiltin } from "./admission.ts";
import { Api, namespaceLifecycle } from "./api.ts";
import { bootstrap } from "./bootstrap.ts";
import { claims } from "./controllers/claims.ts";
import { runController } from "./controllers/controller.ts";
import { daemonSets } from "./controllers/daemonsets.ts";
import { admitDefinitions, definitions } from "./controllers/definitions.ts";
import { deployments } from "./controllers/deployments.ts";
import { garbage } from "./controllers/garbage.ts";
import { jobs } from "./controllers/jobs.ts";
import { namespaces } from "./controllers/namespaces.ts";
import { replicaSets } from "./controllers/replicasets.ts";
import { installSnapshots, snapshots } from "./controllers/snapshots.ts";
import { statefulSets } from "./controllers/statefulsets.ts";
import { listen } from "./http/server.ts";
import { kubeconfigOf } from "./kubeconfig.ts";
import type { Isolation } from "./node/container.ts";
import { upgradeExec } from "./node/exec.ts";
import { LocalNode } from "./node/node.ts";
import { expireEvents } from "./record.ts";
import { Store } from "./store.ts";
import { subresourcesOf } from "./subresources.ts";
import { Tokens } from "./tokens.ts";

/** Where an embedded cluster keeps its state and what it runs. */
export interface PlaneOptions {
  /** A folder of its own; what is in it is found again by the next start. */
  readonly stateDir: string;
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** The administrator's bearer token; absent: kept in the state folder, made when there is none. */
  readonly token?: string;
  /** Whether pods run here; false: they stay Pending, as without a scheduler. */
  readonly node?: boolean;
  /** Whether the storage takes snapshots: StorageClass and VolumeSnapshotClass `csi-folder` are there. */
  readonly snapshots?: boolean;
  /** The name of the cluster and its context. */
  readonly name?: string;
}

/** A running embedded cluster. */
export interface Plane {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  readonly token: string;
  /** The certificate to trust, in PEM. */
  readonly ca: string;
  /** The node's name and the folder of its pods (for a node agent); absent without a node. */
  readonly node?: { readonly name: string; readonly podsDir: string; readonly isolation: Isolation };
  /** A kubeconfig with one context, as YAML. */
  kubeconfig(): string;
  /** Forgets history up to now, so that older watches get 410. */
  compact(): void;
  close(): Promise<void>;
}

/** History is kept this long, and this many changes at most. */
const historyMs = 5 * 60_000;
const historyChanges = 50_000;

/** Starts the embedded cluster; it ends with `close()` or the signal. */
export async function startPlane(options: PlaneOptions, signal?: AbortSignal): Promise<Plane> {
  const { name = "headway-local" } = options;
  const stateDir = resolve(options.stateDir);
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const token = options.token ?? kept(join(stateDir, "token"), () => randomBytes(24).toString("base64url"));
  const certificate = certificateIn(stateDir);
  const store = new Store(join(stateDir, "state.db"));
  const api = new Api(store, () => Date.now());
  api.admissions.push(namespaceLifecycle(api), admitBuiltin(api), admitDefinitions(api));
  bootstrap(api);
  if (options.snapshots) installSnapshots(api);
  const stop = new AbortController();
  const tokens = new Tokens(
    token,
    (namespace, account) => api.read("serviceaccounts", namespace, account)?.metadata.uid,
  );
  const nodeName = `${name}-node`;
  runControllers(api, certificate.cert, { ...options, stateDir }, nodeName, stop.signal);
  let node: LocalNode | undefined;
  const server = await listen({
    api,
    certificate,
    host: "127.0.0.1",
    port: options.port ?? 0,
    authenticate: (given) => tokens.userOf(given, Date.now()),
    subresources: subresourcesOf(api, tokens, () => node),
    upgrade: (request, socket, head) => upgradeExec(api, node, request, socket, head),
  });
  if (options.node !== false) {
    node = new LocalNode({ api, tokens, stateDir, name: nodeName, port: server.port });
    node.start();
  }
  compactRegularly(store, stop.signal);
  const expiry = setInterval(() => expireEvents(api), 60_000).unref();
  stop.signal.addEventListener("abort", () => clearInterval(expiry), { once: true });
  const url = `https://127.0.0.1:${server.port}`;
  const close = once(async () => {
    await node?.close();
    stop.abort();
    await server.close();
    store.close();
  });
  signal?.addEventListener("abort", () => void close(), { once: true });
  return {
    url,
    token,
    ca: certificate.cert,
    ...(node && { node: { name: nodeName, podsDir: node.podsDir, isolation: node.isolation } }),
    kubeconfig: () => kubeconfigOf([{ name, url, token, ca: certificate.cert }], name),
    compact: () => store.compact(store.rev),
    close,
  };
}

function runControllers(
  api: Api,
  ca: string,
  { stateDir, snapshots: takesSnapshots = false }: PlaneOptions,
  node: string,
  signal: AbortSignal,
): void {
  const [volumes, kept] = [join(stateDir, "volumes"), join(stateDir, "snapshots")];
  const storage = [claims(volumes, kept, node), ...(takesSnapshots ? [snapshots(volumes, kept)] : [])];
  const own = [namespaces(ca), definitions, garbage(api), ...storage];
  const workloads = [replicaSets, deployments, statefulSets, daemonSets, jobs];
  for (const controller of [...own, ...workloads]) runController(api, controller, signal);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}

/** The text of a file that only its owner reads, made at the first start. */
function kept(file: string, make: () => string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    const text = make();
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
    return text;
  }
}

function certificateIn(stateDir: string): Certificate {
  const text = kept(join(stateDir, "certificate.json"), () =>
    JSON.stringify(selfSigned("headway-local", Date.now())),
  );
  return JSON.parse(text) as Certificate;
}

function compactRegularly(store: Store, signal: AbortSignal): void {
  const marks: { at: number; rev: number }[] = [];
  const timer = setInterval(() => {
    marks.push({ at: Date.now(), rev: store.rev });
    let to = store.rev - historyChanges;
    for (let first = marks[0]; first && first.at < Date.now() - historyMs; first = marks[0]) {
      to = Math.max(to, first.rev);
      marks.shift();
    }
    if (to > store.compacted) store.compact(to);
  }, 10_000);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
