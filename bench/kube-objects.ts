// The objects that the benches of src/kube read: 100,000 ConfigMaps of 1 kB in a namespace of their own, made once.
import { builtIn, type Client, connect, isAlreadyExists } from "../src/kube/index.ts";

export const configMaps = builtIn.configMaps;
const { namespaces } = builtIn;
export const namespace = "headway-bench";
export const wanted = Number(process.env["BENCH_OBJECTS"] ?? 100_000);

/** The cluster of KUBECONFIG, or undefined with a word about it: the benches need a real API server. */
export async function openBench(): Promise<Client | undefined> {
  if (process.env["KUBECONFIG"]) return connect();
  console.log("skipped: KUBECONFIG names no cluster");
  return undefined;
}

/** Makes what is missing. */
export async function fill(client: Client): Promise<void> {
  await client
    .create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } })
    .catch(ignoreExisting);
  const there = new Set<string>();
  for await (const item of client.items(configMaps, { namespace, metadataOnly: true }))
    there.add(item.metadata.name);
  const data = { payload: "x".repeat(700) };
  const names = Array.from({ length: wanted }, (_, i) => `object-${String(i).padStart(6, "0")}`);
  const missing = names.filter((name) => !there.has(name)).values();
  const start = performance.now();
  let made = 0;
  const work = async () => {
    for (const name of missing) {
      await client.create(configMaps, { metadata: { name }, data }, { namespace }).catch(ignoreExisting);
      made += 1;
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
  if (made > 0)
    console.log(`made ${made} ConfigMaps in ${((performance.now() - start) / 1000).toFixed(0)} s`);
}

function ignoreExisting(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}

/** Follows the resident memory until stopped; growth is the highest value seen over the first. */
export function watchMemory(): () => number {
  global.gc?.();
  const first = process.memoryUsage.rss();
  let most = first;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  return () => {
    clearInterval(timer);
    return (Math.max(most, process.memoryUsage.rss()) - first) / 1e6;
  };
}
