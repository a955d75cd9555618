// Budget: 10,000 offers of status for 50 objects in 10 s cost exactly the writes that the budget allows, on a real API server.
// Needs KUBECONFIG; uses the namespace headway-bench-status.
import { type Client, isAlreadyExists, StatusWriter, stretching, writeBudget } from "../src/kube/index.ts";
import { configMaps, openBench } from "./kube-objects.ts";

const namespace = "headway-bench-status";
const objects = 50;
const rounds = 200;
const paceMs = 50;

const client = await openBench();
if (client) await measure(client);

async function measure(client: Client): Promise<void> {
  const namespaces = { ...configMaps, plural: "namespaces", kind: "Namespace", namespaced: false };
  const exists = (error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  };
  await client.create(namespaces, { metadata: { name: namespace } }).catch(exists);
  const targets = Array.from({ length: objects }, (_, i) => ({
    resource: configMaps,
    namespace,
    name: `object-${i}`,
  }));
  for (const { name } of targets)
    await client.create(configMaps, { metadata: { name } }, { namespace }).catch(exists);
  const versionsBefore = await versions(client);

  const writer = new StatusWriter({ client });
  const start = performance.now();
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) writer.offer(target, { data: { round: `${round}` } });
    // The last offer comes before the tenth second, which would be another slot of the budget.
    const next = start + Math.min((round + 1) * paceMs, rounds * paceMs - 100);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  }
  const tookMs = performance.now() - start;
  await Promise.all(targets.map((target) => writer.finish(target, { data: { round: "final" } })));
  const budget = objects * writeBudget(tookMs, 0, stretching);
  const { offers, writes, failures } = writer.counts;
  writer.close();
  const finals = (
    await client.list(configMaps, { namespace, fieldSelector: "metadata.name!=kube-root-ca.crt" })
  ).filter((object) => JSON.stringify(object).includes('"round":"final"')).length;
  const versionsAfter = await versions(client);
  const changed = [...versionsAfter].filter(([name, version]) => versionsBefore.get(name) !== version).length;
  console.log(
    `${offers} offers in ${(tookMs / 1000).toFixed(1)} s: ${writes} writes (budget ${budget}), ${failures} failures, ${finals} of ${objects} final values stored, ${changed} objects changed`,
  );
  if (writes !== budget || finals !== objects) process.exitCode = 1;
  client.close();
}

async function versions(client: Client): Promise<Map<string, string | undefined>> {
  const all = await client.list(configMaps, { namespace, metadataOnly: true });
  return new Map(all.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}
