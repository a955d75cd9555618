// Budget: a streaming list of 100,000 ConfigMaps of 1 kB reaches at least 80 % of a bare keep-alive LIST loop in the same run,
// with resident memory growing by at most 80 MB. Needs KUBECONFIG; makes its objects in the namespace headway-bench.
import { spawnSync } from "node:child_process";
import https from "node:https";
import { findAccess } from "../src/kube/index.ts";
import { configMaps, fill, namespace, openBench, wanted, watchMemory } from "./kube-objects.ts";

interface Result {
  readonly items: number;
  readonly perSecond: number;
  readonly growthMb: number;
}

const [, , mode] = process.argv;
if (mode === "bare") report(await bare());
else if (mode === "raw" || mode === "parsed") report(await ours(mode));
else await compare();

async function compare(): Promise<void> {
  const client = await openBench();
  if (!client) return;
  await fill(client);
  client.close();
  const results: Record<string, Result[]> = { bare: [], raw: [], parsed: [] };
  for (let round = 0; round < 3; round++) {
    for (const [name, list] of Object.entries(results)) {
      list.push(run(name));
    }
  }
  const best = (name: string) => Math.max(...(results[name] ?? []).map((result) => result.perSecond));
  const growth = (name: string) => Math.max(...(results[name] ?? []).map((result) => result.growthMb));
  for (const name of Object.keys(results)) {
    console.log(
      `${name.padEnd(6)} ${best(name).toFixed(0)} items/s, resident memory +${growth(name).toFixed(0)} MB`,
    );
  }
  const ratio = best("raw") / best("bare");
  console.log(
    `raw / bare ${(ratio * 100).toFixed(0)} % (budget 80), parsed / bare ${((best("parsed") / best("bare")) * 100).toFixed(0)} %`,
  );
  if (ratio < 0.8 || growth("raw") > 80) process.exitCode = 1;
}

/** Each measurement in a process of its own: memory of one does not count for another. */
function run(name: string): Result {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--expose-gc", import.meta.filename, name],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
  const result = JSON.parse(stdout) as Result;
  if (result.items < wanted) throw new Error(`${name} saw ${result.items} items only`);
  return result;
}

function report(result: Result): void {
  console.log(JSON.stringify(result));
}

/** The least that a LIST can cost: ask, read, drop. */
async function bare(): Promise<Result> {
  const access = await findAccess();
  const { cert, key } = await access.credentials.get();
  const agent = new https.Agent({ keepAlive: true, ca: access.ca, cert, key });
  const get = (more: string) =>
    new Promise<{ head: string; items: number }>((resolve, reject) => {
      const url = `${access.server}/api/v1/namespaces/${namespace}/configmaps?limit=500&continue=${more}`;
      const request = https.get(url, { agent, headers: { accept: "application/json" } }, (answer) => {
        let head = "";
        answer.on("data", (chunk: Buffer) => {
          if (head === "") head = chunk.toString("latin1", 0, 2_000);
        });
        answer.on("end", () => resolve({ head, items: 500 }));
        answer.on("error", reject);
      });
      request.on("error", reject);
    });
  const memory = watchMemory();
  const start = performance.now();
  let items = 0;
  for (let more: string | undefined = ""; more !== undefined; ) {
    const page = await get(more);
    items += page.items;
    more = /"continue":"([^"]+)"/.exec(page.head)?.[1];
  }
  agent.destroy();
  return { items, perSecond: (wanted / (performance.now() - start)) * 1000, growthMb: memory() };
}

async function ours(mode: "raw" | "parsed"): Promise<Result> {
  const client = await openBench();
  if (!client) throw new Error("no cluster");
  await client.version();
  const memory = watchMemory();
  const start = performance.now();
  let items = 0;
  const pages =
    mode === "raw" ? client.rawPages(configMaps, { namespace }) : client.pages(configMaps, { namespace });
  for await (const page of pages) items += page.items.length;
  client.close();
  return { items, perSecond: (items / (performance.now() - start)) * 1000, growthMb: memory() };
}
