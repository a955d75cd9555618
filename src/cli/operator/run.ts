import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setFlagsFromString } from "node:v8";
import { parseGoDurationMs } from "../../api/index.ts";

import { actionOptions } from "../../engines/actionset/index.ts";

import { type Priorities, parsePriorities, type RestoreRights } from "../../engines/restore/index.ts";

import { AppError } from "../../errors.ts";
import { moverKind } from "../../movers/index.ts";
import { startOperator } from "../../operator/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { jsonLog } from "../log.ts";

/** Runs the operator with the flags of the command line; one JSON line a message on standard error. */
export async function runOperator(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  // Streams of objects make much garbage and keep little: without this the nursery alone grows to a hundred megabytes.
  setFlagsFromString("--semi-space-growth-factor=1");
  const { client, namespace } = await openCluster(input, io, { isLasting: true });
  const ttlMs = durationMs(input, "default-backup-ttl", "720h");
  const noProgressMs = durationMs(input, "fs-backup-timeout", "1h");
  const concurrent = text(input, "concurrent-backups") ?? "1";
  if (!/^[1-9]\d{0,3}$/.test(concurrent)) {
    throw new AppError("USAGE", `--concurrent-backups takes a number from 1, not "${concurrent}"`, {
      retry: false,
    });
  }
  try {
    await startOperator(
      {
        client,
        namespace,
        controllers: texts(input, "controllers"),
        tempDir: text(input, "temp-dir"),
        concurrentBackups: Number(concurrent),
        priorities: prioritiesOf(input),
        restoreRights: {
          mode: rightsOf(text(input, "restore-rights")),
          account: text(input, "restore-account") ?? "headway-restore",
        },
        downloads: {
          listen: text(input, "download-address") ?? "127.0.0.1:0",
          publicUrl: text(input, "download-url"),
        },
        ...(!given(input, "no-serve") && {
          serve: { address: text(input, "listen"), hosts: texts(input, "host") },
        }),
        ...(!given(input, "no-leader-election") && { leaderElection: { identity: ownIdentity() } }),
        backupDefaults: {
          ttlMs,
          storageLocation: text(input, "default-backup-storage-location") ?? "default",
          volumesToFsBackup: given(input, "default-volumes-to-fs-backup"),
          snapshotLocations: snapshotLocationsOf(input),
        },
        volumes: volumeOptions(input, io, noProgressMs),
        stageImage: text(input, "stage-image") ?? io.env["HEADWAY_IMAGE"],
        plugins: pluginOptions(input, io),
        actions: {
          ...actionOptions(io.env, [process.execPath, process.argv[1] ?? ""]),
          percent: text(input, "actionset-percent") === "integer" ? "integer" : "decimal",
        },
        webhook: webhookOptions(input),
        log: jsonLog(io),
      },
      signal,
    );
  } finally {
    client.close();
  }
}

function snapshotLocationsOf(input: Input): Readonly<Record<string, string>> {
  const pairs = texts(input, "default-volume-snapshot-locations").map((pair) => {
    const [provider, name, more] = pair.split(":");
    if (provider && name && more === undefined) return [provider, name] as const;
    const why = `--default-volume-snapshot-locations takes provider:name, not "${pair}"`;
    throw new AppError("USAGE", why, { retry: false });
  });
  return Object.fromEntries(pairs);
}

function volumeOptions(input: Input, io: Io, noProgressMs: number) {
  return {
    uploader: moverKind(text(input, "uploader-type")),
    noProgressMs,
    repositoryConfigMap: text(input, "backup-repository-configmap"),
    maintenanceConfigMap: text(input, "repo-maintenance-job-configmap"),
    helperImage: text(input, "restore-helper-image") ?? io.env["HEADWAY_IMAGE"],
    helperPullPolicy: io.env["HEADWAY_IMAGE_PULL_POLICY"],
  };
}

function pluginOptions(input: Input, io: Io) {
  const calls = text(input, "plugin-calls") ?? "8";
  if (!/^[1-9]\d{0,2}$/.test(calls)) {
    throw new AppError("USAGE", `--plugin-calls takes a number from 1 to 999, not "${calls}"`, {
      retry: false,
    });
  }
  return {
    actionCalls: Number(calls),
    folders: [text(input, "plugin-dir") ?? "/plugins"],
    modules: texts(input, "plugin"),
    kubeconfig: text(input, "kubeconfig") ?? io.env["KUBECONFIG"],
  };
}

function ownIdentity(): string {
  return `${hostname()}_${randomUUID()}`;
}

function durationMs(input: Input, flag: string, otherwise: string): number {
  const given = text(input, flag) ?? otherwise;
  const ms = parseGoDurationMs(given);
  if (ms !== undefined && ms > 0) return ms;
  throw new AppError("USAGE", `--${flag} takes a duration such as ${otherwise}, not "${given}"`, {
    retry: false,
  });
}

/** The parser has checked the choices. */
function rightsOf(given: string | undefined): RestoreRights["mode"] {
  return given === "none" || given === "account" ? given : "cluster";
}

function prioritiesOf(input: Input): Priorities | undefined {
  const list = text(input, "restore-resource-priorities");
  if (list === undefined) return undefined;
  const priorities = parsePriorities(list);
  if (typeof priorities !== "string") return priorities;
  throw new AppError("USAGE", `--restore-resource-priorities: ${priorities}`, { retry: false });
}

function webhookOptions(input: Input) {
  const certificates = text(input, "webhook-certs");
  if (certificates === undefined) return undefined;
  return { certificates, listen: text(input, "webhook-listen") ?? "0.0.0.0:9443" };
}
