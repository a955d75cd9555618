// Budget: an informer over 100,000 objects with a metadata projection grows resident memory by at most 150 MB.
// Needs KUBECONFIG; makes its objects in the namespace headway-bench.
import { spawnSync } from "node:child_process";
import { Informer } from "../src/kube/index.ts";
import { configMaps, fill, namespace, openBench, wanted, watchMemory } from "./kube-objects.ts";

const budgetMb = 150;

if (process.argv[2] === "run") await measure();
else await compare();

async function compare(): Promise<void> {
  const client = await openBench();
  if (!client) return;
  await fill(client);
  client.close();
  const args = ["--expose-gc", import.meta.filename, "run"];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  const { seconds, growthMb, size } = JSON.parse(stdout) as Record<"seconds" | "growthMb" | "size", number>;
  console.log(
    `${size} objects known after ${seconds.toFixed(1)} s, resident memory +${growthMb.toFixed(0)} MB (budget ${budgetMb})`,
  );
  if (size < wanted || growthMb > budgetMb) process.exitCode = 1;
}

async function measure(): Promise<void> {
  const client = await openBench();
  if (!client) return;
  await client.version();
  const stop = new AbortController();
  const memory = watchMemory();
  const start = performance.now();
  const informer = new Informer({
    client,
    resource: configMaps,
    query: { namespace, metadataOnly: true },
    project: ({ metadata: { name, namespace: where, uid, resourceVersion, labels, annotations } }) => ({
      name,
      namespace: where,
      uid,
      resourceVersion,
      labels,
      annotations,
    }),
  });
  const running = informer.run(stop.signal);
  await informer.synced();
  const seconds = (performance.now() - start) / 1000;
  const growthMb = memory();
  console.log(JSON.stringify({ seconds, growthMb, size: informer.size }));
  stop.abort();
  await running;
  client.close();
}
