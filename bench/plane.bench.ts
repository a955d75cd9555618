// Figures of the embedded cluster: start, creates per second, listed objects per second, memory with 100,000 objects.
// The cluster is a process of its own, as users run it; the client is this one.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";

const launcher = join(import.meta.dirname, "../bin/headway.js");
const folder = mkdtempSync(join(tmpdir(), "bench-plane-"));
const headway = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [launcher, "local", ...args, "--state", folder],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`headway local ${args.join(" ")}: ${stderr}`);
  return stdout;
};

const budgets = { upSeconds: 1.5, createsPerSecond: 2000, listedPerSecond: 20_000, rssMb: 400 };
let failed = false;

function report(name: string, value: number, unit: string, ok: boolean): void {
  console.log(`${ok ? "ok  " : "MISS"} ${name}: ${value.toFixed(value < 10 ? 2 : 0)} ${unit}`);
  if (!ok) failed = true;
}

try {
  const begun = performance.now();
  const facts = JSON.parse(headway("up", "-o", "json"));
  const upSeconds = (performance.now() - begun) / 1000;
  report("up to a ready API", upSeconds, `s (budget ${budgets.upSeconds})`, upSeconds <= budgets.upSeconds);

  const config = JSON.parse(readFileSync(facts.kubeconfig, "utf8"));
  const ca = Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64").toString();
  const agent = new Agent({ keepAlive: true, maxSockets: 16, ca });
  const headers = {
    authorization: `Bearer ${config.users[0].user.token}`,
    "content-type": "application/json",
  };
  const call = (method: string, path: string, body?: string): Promise<number> =>
    new Promise((done, fail) => {
      const req = request(new URL(path, facts.clusters[0].url), { method, agent, headers }, (res) => {
        let bytes = 0;
        res.on("data", (chunk: Buffer) => (bytes += chunk.length));
        res.on("end", () =>
          (res.statusCode ?? 500) < 300
            ? done(bytes)
            : fail(new Error(`${method} ${path}: ${res.statusCode}`)),
        );
      });
      req.on("error", fail);
      req.end(body);
    });

  const path = "/api/v1/namespaces/default/configmaps";
  const total = 100_000;
  const filler = "x".repeat(200);
  let next = 0;
  const worker = async (until: number): Promise<void> => {
    for (let i = next++; i < until; i = next++) {
      await call(
        "POST",
        path,
        JSON.stringify({ metadata: { name: `c${i}`, labels: { bench: "yes" } }, data: { filler } }),
      );
    }
    next -= 1; // the number that ended this worker was not used
  };
  const create = async (until: number): Promise<number> => {
    const start = performance.now();
    await Promise.all(Array.from({ length: 16 }, () => worker(until)));
    return (performance.now() - start) / 1000;
  };
  await create(1000); // warm
  const timed = Math.min(total, 11_000);
  const rate = (timed - next) / (await create(timed));
  report("creates", rate, `a second (budget ${budgets.createsPerSecond})`, rate >= budgets.createsPerSecond);
  await create(total);

  const listStart = performance.now();
  const bytes = await call("GET", path);
  const listed = total / ((performance.now() - listStart) / 1000);
  report(
    "listed objects, one list",
    listed,
    `a second, ${(bytes / 1e6).toFixed(0)} MB (budget ${budgets.listedPerSecond})`,
    listed >= budgets.listedPerSecond,
  );

  const status = readFileSync(`/proc/${facts.pid}/status`, "utf8");
  const rssMb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  const peakMb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  report(
    `memory with ${total} objects`,
    rssMb,
    `MB, peak ${peakMb.toFixed(0)} MB (budget ${budgets.rssMb})`,
    rssMb <= budgets.rssMb,
  );
  agent.destroy();
} finally {
  headway("down", "--purge");
  rmSync(folder, { recursive: true, force: true });
}
if (failed) process.exitCode = 1;
