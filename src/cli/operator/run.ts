import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { parseGoDurationMs } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { startOperator } from "../../operator/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { jsonLog } from "../log.ts";

/** Runs the operator with the flags of the command line; one JSON line a message on standard error. */
export async function runOperator(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const { client, namespace } = await openCluster(input, io);
  const ttl = text(input, "default-backup-ttl") ?? "720h";
  const ttlMs = parseGoDurationMs(ttl);
  if (ttlMs === undefined || ttlMs <= 0) {
    throw new AppError("USAGE", `--default-backup-ttl takes a duration such as 720h, not "${ttl}"`, {
      retry: false,
    });
  }
  const timeout = text(input, "fs-backup-timeout") ?? "1h";
  const noProgressMs = parseGoDurationMs(timeout);
  if (noProgressMs === undefined || noProgressMs <= 0) {
    throw new AppError("USAGE", `--fs-backup-timeout takes a duration such as 1h, not "${timeout}"`, {
      retry: false,
    });
  }
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
        },
        volumes: {
          uploader: text(input, "uploader-type") === "restic" ? "restic" : "kopia",
          noProgressMs,
          helperImage: text(input, "restore-helper-image") ?? io.env["HEADWAY_IMAGE"],
          helperPullPolicy: io.env["HEADWAY_IMAGE_PULL_POLICY"],
        },
        stageImage: text(input, "stage-image") ?? io.env["HEADWAY_IMAGE"],
        plugins: pluginOptions(input, io),
        log: jsonLog(io),
      },
      signal,
    );
  } finally {
    client.close();
  }
}

function pluginOptions(input: Input, io: Io) {
  return {
    folders: [text(input, "plugin-dir") ?? "/plugins"],
    modules: texts(input, "plugin"),
    kubeconfig: text(input, "kubeconfig") ?? io.env["KUBECONFIG"],
  };
}

function ownIdentity(): string {
  return `${hostname()}_${randomUUID()}`;
}
