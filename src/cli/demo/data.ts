import type { KubeObject } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, sleep, systemClock } from "../../kube/index.ts";
import { shopNamespace, shopVolumes } from "./shop.ts";

const pods = builtIn.pods;

interface Pod extends KubeObject {
  readonly status?: { readonly phase?: string };
}

/** Waits until every pod of the shop runs and has written its data. */
export async function untilFilled(client: Client, limitMs: number, signal: AbortSignal): Promise<void> {
  await eventually("the shop's pods have their data", limitMs, signal, async () => {
    for (const volume of shopVolumes) {
      const pod = await podOf(client, volume.app, signal);
      if (pod?.status?.phase !== "Running") return false;
      const { code } = await inPod(
        client,
        pod,
        volume.container,
        ["sh", "-c", `test -e ${volume.folder}/complete`],
        signal,
      );
      if (code !== 0) return false;
    }
    return true;
  });
}

/** Checksums of every file of every volume, by path. */
export async function checksums(client: Client, signal: AbortSignal): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { app, container, folder } of shopVolumes) {
    const pod = await podOf(client, app, signal);
    if (!pod) throw new AppError("DEMO_FAILED", `pod of "${app}" is gone`);
    const script = `cd ${folder} && find . -type f | sort | while read -r f; do sha256sum "$f"; done`;
    const { code, out } = await inPod(client, pod, container, ["sh", "-c", script], signal);
    if (code !== 0) throw new AppError("DEMO_FAILED", `reading the files of "${app}" exited ${code}`);
    for (const line of out.trim().split("\n")) {
      const [sum = "", file = ""] = line.split(/ +/);
      found.set(`${app}:${file}`, sum);
    }
  }
  return found;
}

/** What differs between two sets of checksums; nothing when all is back. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const faults: string[] = [];
  for (const [file, sum] of before) {
    const now = after.get(file);
    if (now === undefined) faults.push(`${file} is missing`);
    else if (now !== sum) faults.push(`${file} has other content`);
  }
  for (const file of after.keys()) if (!before.has(file)) faults.push(`${file} was not there before`);
  return faults;
}

/** Asks again and again until it holds; says what did not come when the time is over. */
export async function eventually(
  what: string,
  limitMs: number,
  signal: AbortSignal,
  holds: () => Promise<boolean>,
): Promise<void> {
  const end = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() >= end) throw new AppError("DEMO_FAILED", `${what}: not after ${limitMs / 1000} s`);
    await sleep(systemClock, 300, signal);
  }
}

async function podOf(client: Client, app: string, signal: AbortSignal): Promise<Pod | undefined> {
  const found = await client.list<Pod>(
    pods,
    { namespace: shopNamespace, labelSelector: `app=${app}` },
    signal,
  );
  return found.find((pod) => pod.metadata.deletionTimestamp === undefined && pod.status?.phase === "Running");
}

async function inPod(
  client: Client,
  pod: Pod,
  container: string,
  command: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly code: number; readonly out: string }> {
  let out = "";
  const { exitCode } = await client.exec(
    pods,
    pod.metadata.name,
    {
      namespace: shopNamespace,
      container,
      command,
      // A shop has a few dozen files: what it prints is small, and cut here if it ever is not.
      onStdout: (chunk) => void (out = (out + chunk.toString("utf8")).slice(-1_000_000)),
    },
    signal,
  );
  return { code: exitCode, out };
}
