import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { BackupStage } from "./backup-stage.ts";
import type { S3Server } from "./s3.ts";

/** What a server of upstream's is started with. */
export interface VeleroServerOptions {
  /** Upstream's program. */
  readonly program: string;
  /** Its plugins, each a program. */
  readonly plugins: readonly string[];
  readonly namespace: string;
  readonly s3: S3Server;
  /** Where it tells its metrics; on a port of its own choice when absent. */
  readonly metricsAddress?: string;
  /** More of its environment, and of that of its plugins. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Upstream's own server as a process of this machine, on the cluster of a stage. */
export class VeleroServer {
  readonly #child: ChildProcess;
  readonly #folder: string;
  #said = "";

  constructor(stage: BackupStage, options: VeleroServerOptions) {
    const { program, plugins, namespace, s3, env, metricsAddress = "127.0.0.1:0" } = options;
    this.#folder = mkdtempSync(join(tmpdir(), "velero-server-"));
    const folder = join(this.#folder, "plugins");
    mkdirSync(folder);
    for (const one of plugins) copyFileSync(one, join(folder, basename(one)));
    const credentials = join(this.#folder, "aws-credentials");
    const keys = `aws_access_key_id=${s3.accessKeyId}\naws_secret_access_key=${s3.secretAccessKey}\n`;
    writeFileSync(credentials, `[default]\n${keys}`, { mode: 0o600 });
    const where = [
      "--kubeconfig",
      stage.cluster.kubeconfig,
      "--namespace",
      namespace,
      "--plugin-dir",
      folder,
    ];
    const quiet = ["--metrics-address", metricsAddress, "--profiler-address", "127.0.0.1:0"];
    const often = ["--item-operation-sync-frequency", "1s", "--store-validation-frequency", "5s"];
    this.#child = spawn(program, ["server", ...where, ...quiet, ...often], {
      env: {
        PATH: process.env["PATH"],
        HOME: this.#folder,
        TMPDIR: this.#folder,
        AWS_SHARED_CREDENTIALS_FILE: credentials,
        VELERO_NAMESPACE: namespace,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        this.#said = (this.#said + chunk.toString()).slice(-40_000);
      });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The end of what it said. */
  get said(): string {
    return this.#said;
  }

  async close(): Promise<void> {
    const over = new Promise((resolve) => this.#child.once("exit", resolve));
    if (this.#child.exitCode === null) {
      this.#child.kill("SIGKILL");
      await over;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What a location of upstream's plugin for AWS says about a bucket of an S3 server on this machine. */
export function awsLocation(s3: S3Server, prefix: string) {
  return {
    provider: "aws",
    default: true,
    objectStorage: { bucket: s3.bucket, prefix },
    config: { region: s3.region, s3ForcePathStyle: "true", s3Url: s3.endpoint, checksumAlgorithm: "" },
  };
}
