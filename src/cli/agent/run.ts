import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { startAgent } from "../../agent/index.ts";
import { parseGoDurationMs } from "../../api/index.ts";
import { loadSettings, type MovementSettings, usualSettings } from "../../engines/datapath/index.ts";
import { moverFinder } from "../../engines/podvolume/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, type Log, systemClock } from "../../kube/index.ts";
import { moverFolders } from "../../movers/index.ts";
import { openCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { jsonLog } from "../log.ts";

/** Runs the agent with the flags of the command line; one JSON line a message on standard error. */
export async function runAgent(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const node = text(input, "node") ?? io.env["NODE_NAME"];
  if (!node) throw usage("--node is missing, and NODE_NAME is not set");
  const hostPods = resolve(text(input, "host-pods") ?? "");
  const facts = await stat(hostPods).catch(() => undefined); // told in the next line
  if (!facts?.isDirectory()) throw usage(`--host-pods must be a folder, and "${hostPods}" is none`);
  const concurrency = text(input, "concurrency") ?? "2";
  if (!/^[1-9]\d{0,2}$/.test(concurrency)) {
    throw usage(`--concurrency takes a number from 1 to 999, not "${concurrency}"`);
  }
  const prepareTimeoutMs = parseGoDurationMs(text(input, "data-mover-prepare-timeout") ?? "30m");
  if (prepareTimeoutMs === undefined || prepareTimeoutMs <= 0) {
    throw usage('--data-mover-prepare-timeout takes a time such as "30m"');
  }
  const probes = probesOf(text(input, "listen"));
  const stateDir = resolve(text(input, "state-dir") ?? "");
  const { client, namespace } = await openCluster(input, io, { isLasting: true });
  // Movers of an earlier life are known by it: the same folder, the same agent.
  const owner = `agent:${stateDir}`;
  const log = jsonLog(io);
  try {
    const settings = await settingsOf(
      text(input, "node-agent-configmap"),
      { client, namespace, node },
      log,
      signal,
    );
    await startAgent(
      {
        client,
        namespace,
        node,
        hostPods,
        concurrency: settings.concurrency ?? Number(concurrency),
        movement: {
          settings,
          image: text(input, "pod-image") ?? io.env["HEADWAY_IMAGE"] ?? "",
          pullPolicy: io.env["HEADWAY_IMAGE_PULL_POLICY"] ?? "IfNotPresent",
          prepareTimeoutMs,
        },
        owner,
        probes,
        mover: moverFinder({ scratch: stateDir, owner, folders: moverFolders({ ...io.env }) }),
        clock: systemClock,
        log,
      },
      signal,
    );
  } finally {
    client.close();
  }
}

/** The settings of upstream's ConfigMap, where one is named; what has no effect is said once. */
async function settingsOf(
  configMap: string | undefined,
  { client, namespace, node }: { client: Client; namespace: string; node: string },
  log: Log,
  signal: AbortSignal,
): Promise<MovementSettings> {
  if (!configMap) return usualSettings;
  const { settings, notes } = await loadSettings(client, { namespace, configMap, node }, signal);
  for (const note of notes) log("warning", note);
  return settings;
}

function probesOf(address: string | undefined): { hostname: string; port: number } | undefined {
  if (address === undefined) return undefined;
  const [, hostname, port] = /^(.+):(\d{1,5})$/.exec(address) ?? [];
  if (hostname === undefined || Number(port) > 65_535)
    throw usage(`--listen takes HOST:PORT, not "${address}"`);
  return { hostname, port: Number(port) };
}

function usage(message: string): AppError {
  return new AppError("USAGE", message, { retry: false });
}
